#include "oracle/finding/side.h"

#include <algorithm>

#include "oracle/measure/totals.h"
#include "oracle/rules/refusals.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

constexpr double kFarther = 10;  // how much farther from double the wrong side is than the right one, at least

/// One leaf as the double runs see it; all pointers are set.
struct Witnessed {
  const LeafMeasurement* eager = nullptr;     // against the reference
  const LeafMeasurement* compiled = nullptr;  // against the reference
  const LeafMeasurement* in_double = nullptr;
  Dtype dtype = Dtype::float32;
};

const LeafMeasurement* find(const Evidence& evidence, Mode expected, Mode actual, const std::string& path) {
  const LeafMeasurement* const leaf = evidence.leaf(expected, actual, path);
  const bool usable = leaf != nullptr && !leaf->missing && !leaf->type_differs && !leaf->shape_differs;
  return usable ? leaf : nullptr;
}

std::optional<Witnessed> witnessed(const Evidence& evidence, const std::string& path) {
  const LeafMeasurement* const plain = find(evidence, Mode::eager, evidence.compiled, path);
  Witnessed leaf{find(evidence, Mode::reference, Mode::eager, path),
                 find(evidence, Mode::reference, evidence.compiled, path),
                 find(evidence, Mode::reference, Mode::inductor_fp64, path), Dtype::float32};
  if (plain == nullptr || leaf.eager == nullptr || leaf.compiled == nullptr) return std::nullopt;
  leaf.dtype = plain->dtype;
  return leaf;
}

/// As near as the leaf's own type allows; the reference's type does not matter.
bool near(const LeafMeasurement& leaf, Dtype dtype) {
  if (leaf.nan_differs > 0 || leaf.inf_differs > 0) return false;
  if (is_exact(dtype)) return leaf.unequal == 0;
  return leaf.max_absolute <= allowed_by(default_tolerance(dtype), leaf.rms_expected);
}

bool far_beside(const LeafMeasurement& leaf, const LeafMeasurement& other, Dtype dtype) {
  return !near(leaf, dtype) && (leaf.nan_differs + leaf.inf_differs > 0 || leaf.rms_difference == 0 ||
                                leaf.rms_difference >= kFarther * other.rms_difference);
}

bool accuses_eager(const Witnessed& leaf) {
  const bool agree = leaf.in_double != nullptr && !leaf.in_double->values_differ();
  return agree && near(*leaf.compiled, leaf.dtype) && far_beside(*leaf.eager, *leaf.compiled, leaf.dtype);
}

bool accuses_compiled(const Witnessed& leaf) {
  return near(*leaf.eager, leaf.dtype) && far_beside(*leaf.compiled, *leaf.eager, leaf.dtype);
}

std::string distances(const Witnessed& leaf) {
  const auto distance = [&](const LeafMeasurement& measured) {
    if (measured.nan_differs + measured.inf_differs > 0)
      return std::to_string(measured.nan_differs + measured.inf_differs) + " NaN or Inf in other places";
    return is_exact(leaf.dtype) ? std::to_string(measured.unequal) + " elements"
                                : "rms " + rules::short_number(measured.rms_difference);
  };
  return "compared with double, eager is off by " + distance(*leaf.eager) + ", compiled code by " +
         distance(*leaf.compiled);
}

SideFound by_double(const Verdict& verdict, const Evidence& evidence) {
  std::vector<Witnessed> leaves;
  for (const std::string& path : verdict.leaves) {
    const auto leaf = witnessed(evidence, path);
    if (!leaf) return {};
    leaves.push_back(*leaf);
  }
  if (leaves.empty()) return {};
  const std::string why = verdict.leaves.front() + ": " + distances(leaves.front()) + ".";
  if (std::all_of(leaves.begin(), leaves.end(), accuses_eager)) return {Side::eager, "side.double", why};
  if (std::all_of(leaves.begin(), leaves.end(), accuses_compiled)) return {Side::compiled, "side.double", why};
  return {};
}

bool breaks_the_device(const Outcome& outcome) {
  return outcome.error && match(device_failures(), *outcome.error) != nullptr;
}

}  // namespace

SideFound side_of(const Verdict& verdict, const Evidence& evidence) {
  const Outcome* const eager = evidence.outcome(Mode::eager);
  if (verdict.kind == Kind::missing_check && eager != nullptr) {
    if (eager->kind == OutcomeKind::died || breaks_the_device(*eager))
      return {Side::eager, "side.eager_died", "Eager crashes its process."};
    return {Side::compiled, "side.outcome", "Eager rejects the program, compiled code accepts it."};
  }
  if (verdict.kind && fails(*verdict.kind))
    return {Side::compiled, "side.outcome", "Compiled code fails where eager runs."};
  return by_double(verdict, evidence);
}

}  // namespace parityd::oracle
