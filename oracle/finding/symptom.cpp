#include "oracle/finding/symptom.h"

#include <algorithm>

namespace parityd::oracle {
namespace {

bool ends_alike(const Outcome& before, const Outcome& now) {
  if (before.kind != now.kind) return false;
  switch (now.kind) {
    case OutcomeKind::raised:
      return before.error && now.error && error_parts(*before.error) == error_parts(*now.error);
    case OutcomeKind::died:
      return death_parts(before) == death_parts(now);
    default:
      return true;
  }
}

bool is_off(const LeafMeasurement& leaf) { return leaf.values_differ() || leaf.metadata_differs(); }

/// Whether a leaf differs now that did not before.
bool has_other_differences(const Shown& symptom, const Evidence& ablated) {
  const Measurement* const now = ablated.measurement(Mode::eager, ablated.compiled);
  if (now == nullptr) return true;
  return std::any_of(now->leaves.begin(), now->leaves.end(), [&](const LeafMeasurement& leaf) {
    const LeafMeasurement* const before = symptom.evidence.leaf(Mode::eager, symptom.evidence.compiled, leaf.path);
    return is_off(leaf) && (before == nullptr || !is_off(*before));
  });
}

/// Whether compiled code now makes the check that eager makes; any other error is the ablation's own.
Answer answer_of_check(const Outcome& eager, const Outcome& now) {
  if (now.kind == OutcomeKind::ran) return Answer::stays;
  if (!eager.error || !now.error) return Answer::differs_otherwise;
  const std::string message = normalise_message(eager.error->message);
  const bool same = normalise_message(now.error->message).find(message) != std::string::npos ||
                    now.error->inner_class == eager.error->inner_class;
  return same ? Answer::vanishes : Answer::differs_otherwise;
}

Answer without_differences(const Shown& symptom, const Evidence& ablated) {
  return has_other_differences(symptom, ablated) ? Answer::differs_otherwise : Answer::vanishes;
}

}  // namespace

Answer answer_of(const Shown& symptom, const Evidence& ablated) {
  const Outcome* const eager = ablated.outcome(Mode::eager);
  const Outcome* const now = ablated.outcome(ablated.compiled);
  const Outcome* const before = symptom.evidence.outcome(symptom.evidence.compiled);
  const Outcome* const eager_before = symptom.evidence.outcome(Mode::eager);
  if (now == nullptr || before == nullptr) return Answer::not_tried;
  if (eager == nullptr || eager_before == nullptr || eager->kind != eager_before->kind)
    return Answer::differs_otherwise;
  if (symptom.verdict.kind == Kind::missing_check) return answer_of_check(*eager, *now);
  if (before->kind != OutcomeKind::ran) {
    if (ends_alike(*before, *now)) return Answer::stays;
    return now->kind == OutcomeKind::ran ? without_differences(symptom, ablated) : Answer::differs_otherwise;
  }
  if (now->kind != OutcomeKind::ran) return Answer::differs_otherwise;
  return shows_alike(ablated, symptom.verdict, ablated.compiled) ? Answer::stays
                                                                 : without_differences(symptom, ablated);
}

}  // namespace parityd::oracle
