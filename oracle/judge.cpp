#include <array>

#include "oracle/rules.h"

namespace parityd::oracle {
namespace {

using rules::Depth;

Verdict consistent(const Evidence& evidence) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  std::int64_t unequal = 0;
  std::int64_t signs = 0;
  for (const LeafMeasurement& leaf : measured->leaves) {
    unequal += leaf.unequal;
    signs += leaf.sign_differs;
  }
  std::string text = "All " + std::to_string(measured->leaves.size()) + " leaves agree";
  if (unequal > 0) text += " within tolerance (" + std::to_string(unequal) + " elements not bit for bit)";
  if (unequal == 0 && signs > 0) text += " but for the sign of " + std::to_string(signs) + " zeros";
  return rules::make_verdict(VerdictKind::consistent, "consistent", text + ".");
}

Verdict decide(const Evidence& evidence, Depth depth) {
  if (auto decided = rules::judge_outcomes(evidence, depth)) return *decided;
  if (auto decided = rules::judge_comparability(evidence)) return *decided;
  const std::array<std::optional<Verdict>, 3> opinions{
      rules::judge_metadata(evidence), rules::judge_numbers(evidence, depth), rules::judge_layout(evidence)};
  for (const auto& opinion : opinions) {
    if (opinion && opinion->verdict == VerdictKind::inconsistent) return *opinion;
  }
  for (const auto& opinion : opinions) {
    if (opinion) return *opinion;
  }
  return consistent(evidence);
}

}  // namespace

Verdict screen(const Evidence& evidence) { return decide(evidence, Depth::cheap); }

Verdict judge(const Evidence& evidence) { return decide(evidence, Depth::full); }

RoundModes modes_for_round(Mode compiled) {
  RoundModes modes{{Mode::eager, Mode::eager_repeat, Mode::reference}, {compiled}};
  if (is_compiled_choice(compiled)) {
    modes.compiled.push_back(Mode::inductor_precise);
    modes.compiled.push_back(Mode::inductor_fp64);
  }
  return modes;
}

}  // namespace parityd::oracle
