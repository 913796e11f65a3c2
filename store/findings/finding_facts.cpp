#include "store/findings/finding_facts.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "store/base/text.h"

namespace parityd::store {
namespace {

/// Other names torch has for its dtypes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kAliases{{{"half", "float16"},
                                                                                  {"float", "float32"},
                                                                                  {"double", "float64"},
                                                                                  {"short", "int16"},
                                                                                  {"int", "int32"},
                                                                                  {"long", "int64"},
                                                                                  {"char", "int8"},
                                                                                  {"byte", "uint8"},
                                                                                  {"chalf", "complex32"},
                                                                                  {"cfloat", "complex64"},
                                                                                  {"cdouble", "complex128"}}};

/// torch's own name; empty when it is no dtype.
std::string_view dtype_called(std::string_view name) {
  const auto* const alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const auto& entry) { return entry.first == name; });
  if (alias != kAliases.end()) return alias->second;
  return oracle::dtype_from_name(name) ? name : std::string_view();
}

/// Both "torch.int8" and ".half()" name one.
void add_named(std::set<std::string>& found, std::string_view program) {
  for (std::size_t dot = program.find('.'); dot != std::string_view::npos; dot = program.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < program.size() && in_name(program[end])) ++end;
    const std::string_view dtype = dtype_called(program.substr(dot + 1, end - dot - 1));
    const bool of_torch = program.substr(0, dot).ends_with("torch");
    const bool called = end < program.size() && program[end] == '(';
    if (!dtype.empty() && (of_torch || called)) found.emplace(dtype);
  }
}

}  // namespace

std::vector<std::string> operators_shown(const oracle::Evidence& evidence) {
  const oracle::Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled == nullptr) return {};
  std::vector<std::string> names = compiled->operators;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> dtypes_shown(const oracle::Evidence& evidence, std::string_view program) {
  std::set<std::string> found;
  const oracle::Measurement* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  if (measured != nullptr) {
    for (const oracle::LeafMeasurement& leaf : measured->leaves) {
      if (leaf.metadata_differs() || leaf.values_differ()) found.emplace(oracle::name(leaf.dtype));
    }
  }
  add_named(found, program);
  return {found.begin(), found.end()};
}

}  // namespace parityd::store
