#include "store/report/chance.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace parityd::store {
namespace {

/// Classes of torch.nn that hold tensors and do nothing.
constexpr std::array<std::string_view, 5> kHolders{"Buffer", "Module", "Parameter", "ParameterDict", "ParameterList"};
constexpr std::array<std::string_view, 1> kFunctions{"nn.functional"};

/// Whether `named` finds anything but `harmless` names.
bool names_other(std::string_view program, const RE2& named, std::span<const std::string_view> harmless) {
  re2::StringPiece rest(program.data(), program.size());
  std::string name;
  while (RE2::FindAndConsume(&rest, named, &name)) {
    if (std::ranges::find(harmless, name) == harmless.end()) return true;
  }
  return false;
}

bool holds_modules(std::string_view program) {
  static const RE2 kImported(
      R"(\bfrom\s+torch\.(?:ao\.)?nn(?:\.(?:modules|qat|quantized|intrinsic|utils)[\w.]*)?\s+import)", RE2::Latin1);
  static const RE2 kRenamed(R"(\b(nn[\w.]*)\s+as\b)", RE2::Latin1);
  static const RE2 kClass(R"(\bnn\.(?:\w+\.)*([A-Z]\w*))", RE2::Latin1);
  return RE2::PartialMatch(program, kImported) || names_other(program, kRenamed, kFunctions) ||
         names_other(program, kClass, kHolders);
}

}  // namespace

bool may_draw(std::string_view program) {
  static const RE2 kDraws(
      R"((?i:rand)|dropout|\bnormal\b|normal_|bernoulli|multinomial|uniform|exponential|geometric|cauchy|poisson|binomial)"
      R"(|seed|philox|Generator|rrelu|fractional|shuffle|lowrank|lobpcg|gumbel|distributions|standard_gamma|dirichlet)"
      R"(|make_tensor|spectral_norm|scaled_dot_product|multi_head_attention|\b(?:lstm|gru|rnn_\w+)\b)"
      R"(|\binit\b|\bnumpy\b|\bgetattr\b|\bimport_module\b|__import__)",
      RE2::Latin1);
  return RE2::PartialMatch(program, kDraws) || holds_modules(program);
}

bool may_depend_on_mode(std::string_view program) {
  static const RE2 kMode(R"(training|\btrain\b|\beval\b|\bgetattr\b|spectral_norm)", RE2::Latin1);
  return RE2::PartialMatch(program, kMode) || holds_modules(program);
}

}  // namespace parityd::store
