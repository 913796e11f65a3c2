// Verdicts: judges evidence and returns one verdict. Each rule is a small named function. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/evidence.h"
#include "oracle/names.h"
#include "oracle/rules/excuses.h"
#include "oracle/rules/neutraliser.h"

namespace parityd::oracle {

enum class VerdictKind { consistent, invalid, inconsistent, excused, unstable };
constexpr auto names(VerdictKind) {
  return std::to_array<std::string_view>({"consistent", "invalid", "inconsistent", "excused", "unstable"});
}
enum class Kind { behaviour, missing_check, numerical, metadata, mutation, gradient, crash, hang };
constexpr auto names(Kind) {
  return std::to_array<std::string_view>(
      {"behaviour", "missing_check", "numerical", "metadata", "mutation", "gradient", "crash", "hang"});
}

/// Compiled code does not complete: it raises, dies or hangs.
[[nodiscard]] constexpr bool fails(Kind kind) {
  return kind == Kind::behaviour || kind == Kind::crash || kind == Kind::hang;
}

/// Values differ, so a comparison of numbers has something to show.
[[nodiscard]] constexpr bool values_differ(Kind kind) {
  return kind == Kind::numerical || kind == Kind::gradient || kind == Kind::mutation;
}
/// Both sides complete, and their results are not the same.
[[nodiscard]] constexpr bool results_differ(Kind kind) { return values_differ(kind) || kind == Kind::metadata; }

struct Verdict {
  VerdictKind verdict = VerdictKind::consistent;
  std::optional<Kind> kind;         // set iff inconsistent
  std::string rule;                 // name of the rule that decided: "outcome.compiled_raises", "numbers.double_run"
  std::string explanation;          // one sentence with its numbers, for people
  std::vector<std::string> leaves;  // paths of reported leaves; empty for outcomes
};

/// The verdict of screening, over the two cheap runs (eager, compiled). `consistent` and `invalid` (both raise, or
/// eager raises before forward) are final; `inconsistent` means "suspect" here and needs a confirmation round.
[[nodiscard]] Verdict screen(const Evidence& evidence, const ExcusesOff& off = {});

/// The modes of one look of a round: each look runs the eager modes in one fresh process and the compiled ones in
/// another.
struct RoundModes {
  std::vector<Mode> eager;
  std::vector<Mode> compiled;
};
/// Each side twice: this settles most suspects that are not bugs.
[[nodiscard]] RoundModes first_look(Mode compiled);
/// The other modes that rules may need, for programs that are still inconsistent after the first look.
[[nodiscard]] RoundModes control_modes_of(Mode compiled);

/// Judges the first look's evidence, without the excuses that would apply only because the control runs are missing.
[[nodiscard]] Verdict judge_first_look(const Evidence& evidence, const ExcusesOff& off = {});

/// Whether the control runs could change the verdict. True for inconsistent programs, except of known faults, and for
/// unstable ones: the watched run may explain why eager is not reproducible (uninitialised memory).
[[nodiscard]] bool needs_controls(const Verdict& first_look);

/// The full judgement over one confirmation round's evidence.
[[nodiscard]] Verdict judge(const Evidence& evidence, const ExcusesOff& off = {});

/// Marks the verdict of a compiled run with neutralisers of known findings on. A consistent one proves nothing about
/// the unchanged program, and has its own rule.
inline constexpr std::string_view kSteppedOver = "consistent.stepped_over";
[[nodiscard]] Verdict beyond(Verdict verdict, const std::vector<Neutraliser>& neutralisers);

/// Marks a consistent verdict if graphs were run by eager kernels instead of their code; it has its own rule.
inline constexpr std::string_view kInterpreted = "consistent.interpreted";
[[nodiscard]] Verdict without_compiling(Verdict verdict, const GraphForms& graphs);

}  // namespace parityd::oracle
