#include <array>

#include "oracle/rules/excuses.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

using rules::Depth;

/// Excused instead, if some leaves could not be compared.
Verdict consistent(const Evidence& evidence, const rules::Judging& judging) {
  std::int64_t count = 0;
  std::int64_t unequal = 0;
  std::int64_t signs = 0;
  for (const LeafMeasurement& leaf : evidence.measurement(Mode::eager, evidence.compiled)->leaves) {
    if (leaf.group != LeafGroup::input && !rules::is_compared(evidence, leaf)) continue;
    ++count;
    unequal += leaf.unequal;
    signs += leaf.sign_differs;
  }
  std::string text = "All " + std::to_string(count) + " leaves agree";
  if (unequal > 0) text += " within tolerance (" + std::to_string(unequal) + " elements are not bitwise equal)";
  if (unequal == 0 && signs > 0) text += " except for the sign of " + std::to_string(signs) + " zeros";
  const std::string left_out = rules::not_compared(evidence);
  if (left_out.empty() || !judging.allows("not_compared"))
    return rules::make_verdict(VerdictKind::consistent, "consistent", text + ".");
  text.replace(0, std::string_view("All").size(), "The other");
  return rules::make_verdict(VerdictKind::excused, "not_compared", text + "; not compared: " + left_out + ".");
}

Verdict decide(const Evidence& evidence, const rules::Judging& judging) {
  if (auto decided = rules::judge_outcomes(evidence, judging)) return *decided;
  if (auto decided = rules::judge_comparability(evidence, judging)) return *decided;
  const std::array<std::optional<Verdict>, 3> opinions{rules::judge_metadata(evidence, judging),
                                                       rules::judge_numbers(evidence, judging),
                                                       rules::judge_layout(evidence, judging)};
  const auto bad = [](const auto& opinion) { return opinion && opinion->verdict == VerdictKind::inconsistent; };
  for (const auto& opinion : opinions) {
    if (bad(opinion) && !rules::speaks_last(*opinion)) return *opinion;
  }
  for (const auto& opinion : opinions) {
    if (bad(opinion)) return *opinion;
  }
  for (const auto& opinion : opinions) {
    if (opinion) return *opinion;
  }
  return consistent(evidence, judging);
}

/// The modes of `look`, by side. For a stage no other compiled mode adds information.
RoundModes modes_beside(Mode compiled, Look look) {
  RoundModes modes;
  for (const Mode mode : modes_of(look)) {
    if (is_eager(mode)) modes.eager.push_back(mode);
    if (!is_eager(mode) && is_compiled_choice(compiled)) modes.compiled.push_back(mode);
  }
  return modes;
}

}  // namespace

Verdict screen(const Evidence& evidence, const ExcusesOff& off) { return decide(evidence, {Depth::cheap, off}); }

Verdict judge(const Evidence& evidence, const ExcusesOff& off) { return decide(evidence, {Depth::full, off}); }

Verdict judge_first_look(const Evidence& evidence, const ExcusesOff& off) {
  ExcusesOff more = off;
  for (const char* const excuse : {"outcome.rounding_decides", "numbers.small_values", "numbers.rounding_rms",
                                   "numbers.uninitialised", "numbers.tie"})
    more.insert(excuse);
  return judge(evidence, more);
}

bool needs_controls(const Verdict& first_look) {
  if (known_fault(first_look.rule) != nullptr) return false;
  return first_look.verdict == VerdictKind::inconsistent || first_look.verdict == VerdictKind::unstable;
}

Verdict beyond(Verdict verdict, const std::vector<Neutraliser>& neutralisers) {
  if (neutralisers.empty() || verdict.verdict == VerdictKind::invalid) return verdict;
  verdict.explanation += " This run masked known findings (" + text(neutralisers) + ")";
  if (verdict.verdict == VerdictKind::consistent) {
    verdict.rule = kSteppedOver;
    verdict.explanation += ": it says nothing about the unmasked program";
  }
  verdict.explanation += ".";
  return verdict;
}

Verdict without_compiling(Verdict verdict, const GraphForms& graphs) {
  if (graphs.kind() != GraphForms::Kind::interpreted || verdict.verdict != VerdictKind::consistent) return verdict;
  if (verdict.rule != kSteppedOver) verdict.rule = kInterpreted;
  verdict.explanation +=
      " Its graphs were run by eager kernels instead of being compiled: they contain little that is new.";
  return verdict;
}

RoundModes first_look(Mode compiled) {
  RoundModes modes = modes_beside(compiled, Look::first);
  modes.compiled.insert(modes.compiled.begin(), compiled);
  return modes;
}

RoundModes control_modes_of(Mode compiled) { return modes_beside(compiled, Look::control); }

}  // namespace parityd::oracle
