#include "store/report/chance.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>

namespace parityd::store {
namespace {

/// Classes of torch.nn that hold tensors and do nothing.
constexpr std::array<std::string_view, 5> kHolders{"Buffer", "Module", "Parameter", "ParameterDict", "ParameterList"};

bool holds_modules(std::string_view program) {
  static const RE2 kClass(R"(\bnn\.(?:modules\.[\w.]*)?([A-Z]\w*))", RE2::Latin1);
  static const RE2 kImported(R"(\bfrom\s+torch\.nn\s+import|\bfrom\s+torch\.nn\.modules|\bnn\s+as\b)", RE2::Latin1);
  if (RE2::PartialMatch(program, kImported)) return true;
  re2::StringPiece rest(program.data(), program.size());
  std::string name;
  while (RE2::FindAndConsume(&rest, kClass, &name)) {
    if (std::ranges::find(kHolders, name) == kHolders.end()) return true;
  }
  return false;
}

}  // namespace

bool may_draw(std::string_view program) {
  static const RE2 kDraws(
      R"(rand|dropout|normal_|normal\(|bernoulli|multinomial|uniform|exponential|geometric|cauchy|poisson|binomial)"
      R"(|seed|philox|Generator|rrelu|fractional|shuffle|lowrank|lobpcg|gumbel|distributions|standard_gamma|dirichlet)"
      R"(|\binit\b|\bnumpy\b|\bgetattr\b|\bimport_module\b|__import__)",
      RE2::Latin1);
  return RE2::PartialMatch(program, kDraws) || holds_modules(program);
}

bool may_depend_on_mode(std::string_view program) {
  static const RE2 kMode(R"(training|\btrain\b|\beval\b|\bgetattr\b)", RE2::Latin1);
  return RE2::PartialMatch(program, kMode) || holds_modules(program);
}

}  // namespace parityd::store
