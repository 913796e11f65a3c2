#include "store/report/documented.h"

#include <algorithm>
#include <string>

#include "store/base/operator_names.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr Documented kOperators[] = {
#include "store/documented_rows.inc"
};

const Documented* find(std::string_view called) {
  const auto* const found = std::ranges::lower_bound(kOperators, called, {}, &Documented::name);
  return found == std::end(kOperators) || found->name != called ? nullptr : found;
}

}  // namespace

const Documented* documented_operator(std::string_view name) {
  constexpr std::string_view kWithIndices = "_with_indices";  // max_pool2d's own name in graphs
  std::string called = plain_operator(name);
  if (called.ends_with(kWithIndices)) called.resize(called.size() - kWithIndices.size());
  if (const Documented* const exact = find(called)) return exact;
  // "batch_norm2d" is on the page of batch_norm.
  const bool dimensions = called.size() > 2 && called.ends_with('d') && called[called.size() - 2] >= '1' &&
                          called[called.size() - 2] <= '3';
  return dimensions ? find(std::string_view(called).substr(0, called.size() - 2)) : nullptr;
}

std::span<const Documented> documented_operators() { return kOperators; }

const Documented& documented_promise(Kind kind) {
  static const Documented kSame{
      "torch.compile", "is documented as an optimisation of the model it is given, so what the model does should stay",
      "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"};
  static const Documented kClose{
      "assert_close", "takes values as close within its default tolerances for their dtype; exact types must be equal",
      "https://docs.pytorch.org/docs/stable/testing.html"};
  return oracle::values_differ(kind) ? kClose : kSame;
}

}  // namespace parityd::store
