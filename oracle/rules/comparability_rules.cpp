// May the two runs be compared at all? Asked once both have ended alike.
#include <algorithm>

#include "oracle/rules/nondeterminism.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle::rules {
namespace {

bool is_input(const LeafMeasurement& leaf) { return leaf.group == LeafGroup::input; }

/// Inputs before the call, bit for bit: even the sign of a zero or a stride makes it another program.
bool input_differs(const LeafMeasurement& leaf) {
  return is_input(leaf) && (leaf.metadata_differs() || leaf.unequal > 0 || leaf.sign_differs > 0);
}

/// What a program keeps may be the time or an address: that alone is not compared, and makes nothing else unsteady.
bool repeats_otherwise(const LeafMeasurement& leaf) {
  return leaf.group != LeafGroup::state && (leaf.metadata_differs() || leaf.unequal > 0);
}

bool differs(const LeafMeasurement& leaf) { return leaf.metadata_differs() || leaf.values_differ(); }

template <typename Wanted>
const LeafMeasurement* first(const Measurement& measurement, const Wanted& wanted) {
  const auto found = std::find_if(measurement.leaves.begin(), measurement.leaves.end(), wanted);
  return found == measurement.leaves.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Verdict> judge_comparability(const Evidence& evidence, const Judging& judging) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  if (measured == nullptr)
    return make_verdict(VerdictKind::unstable, "stability.unmeasured", "Both ran, but nothing was measured.");
  if (const LeafMeasurement* const leaf = first(*measured, input_differs)) {
    return make_verdict(VerdictKind::unstable, "stability.inputs_differ",
                        leaf->path + " was not the same for both sides before the call: " + leaf->detail + ".");
  }
  if (const Measurement* const repeat = evidence.measurement(Mode::eager, Mode::eager_repeat)) {
    const auto moves = [&](const LeafMeasurement& leaf) {
      if (!repeats_otherwise(leaf) || free_leaf(evidence, judging, leaf.path)) return false;
      const auto spread = spread_of(evidence, leaf.path);  // then the leaf is judged with what it learnt
      return !spread || !judging.allows(spread->operator_used->excuse);
    };
    if (const LeafMeasurement* const leaf = first(*repeat, moves)) {
      return make_verdict(VerdictKind::unstable, "stability.eager_repeat",
                          leaf->path + " differs between two eager runs under the same seed: " + leaf->detail + ".");
    }
  }
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled != nullptr && compiled->graphs == 0 && judging.allows("not_compiled")) {
    const LeafMeasurement* const leaf = first(*measured, differs);
    std::string text = "The compiled mode compiled no graph";
    for (const std::string& fallback : compiled->fallbacks) text += ", " + fallback;
    if (leaf != nullptr) text += ", though " + leaf->path + " differs: " + leaf->detail;
    return make_verdict(VerdictKind::excused, "not_compiled", text + ".");
  }
  return std::nullopt;
}

}  // namespace parityd::oracle::rules
