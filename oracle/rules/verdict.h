// Verdicts: evidence in, one verdict out. Each rule is a small named function. Pure; any thread.
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

/// Compiled code does not come to its end: it raises, dies or hangs.
[[nodiscard]] constexpr bool fails(Kind kind) {
  return kind == Kind::behaviour || kind == Kind::crash || kind == Kind::hang;
}

/// Values differ: what a comparison of numbers has to say something about.
[[nodiscard]] constexpr bool values_differ(Kind kind) {
  return kind == Kind::numerical || kind == Kind::gradient || kind == Kind::mutation;
}
/// Both sides come to their end, and what they leave behind is not the same.
[[nodiscard]] constexpr bool results_differ(Kind kind) { return values_differ(kind) || kind == Kind::metadata; }

struct Verdict {
  VerdictKind verdict = VerdictKind::consistent;
  std::optional<Kind> kind;         // set iff inconsistent
  std::string rule;                 // name of the rule that decided: "outcome.compiled_raises", "numbers.double_run"
  std::string explanation;          // one sentence with its numbers, for people
  std::vector<std::string> leaves;  // paths of reported leaves; empty for outcomes
};

/// After the two cheap runs (eager, compiled): is there anything to look at? `consistent` and `invalid` (both raise, or
/// eager raises before forward) are final; `inconsistent` here means "suspect" and needs a gate round.
[[nodiscard]] Verdict screen(const Evidence& evidence, const ExcusesOff& off = {});

/// A round looks twice: eager modes in one fresh process, compiled ones in another, each time.
struct RoundModes {
  std::vector<Mode> eager;
  std::vector<Mode> compiled;
};
/// Two runs of each side tell most suspects that are no bugs.
[[nodiscard]] RoundModes first_look(Mode compiled);
/// What else the rules may ask; where the first look leaves a program inconsistent.
[[nodiscard]] RoundModes closer_look(Mode compiled);

/// The judgement over the first look's evidence, without the excuses that only the lack of the closer one gives.
[[nodiscard]] Verdict judge_first_look(const Evidence& evidence, const ExcusesOff& off = {});

/// Whether the closer look could say otherwise: of what is inconsistent, and of what is unstable, since the watched run
/// may tell why eager does not repeat itself (memory that nobody has written).
[[nodiscard]] bool needs_closer_look(const Verdict& first_look);

/// The full judgement over one gate round's evidence.
[[nodiscard]] Verdict judge(const Evidence& evidence, const ExcusesOff& off = {});

/// A verdict where neutralisers of known findings held in the compiled runs; says so. A consistent one is no proof for
/// the program as it is, and has a rule of its own.
inline constexpr std::string_view kSteppedOver = "consistent.stepped_over";
[[nodiscard]] Verdict beyond(Verdict verdict, const std::vector<Neutraliser>& neutralisers);

/// A verdict where graphs were run in place of their code; a consistent one says so, and has a rule of its own.
inline constexpr std::string_view kInterpreted = "consistent.interpreted";
[[nodiscard]] Verdict without_compiling(Verdict verdict, const GraphForms& graphs);

}  // namespace parityd::oracle
