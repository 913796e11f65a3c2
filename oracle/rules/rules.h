// The parts of judge(): each group of rules looks at the evidence and either decides or passes on. Pure; any thread.
// Order: outcomes, then whether the runs can be compared at all, then exact metadata, then numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/rules/verdict.h"

namespace parityd::oracle::rules {

/// `cheap`: only eager and one compiled run are there, in one warm process. `full`: a whole gate round.
enum class Depth { cheap, full };

/// How to judge: with what evidence, and without which excuses.
struct Judging {
  Depth depth = Depth::full;
  ExcusesOff off;
  [[nodiscard]] bool allows(std::string_view excuse) const { return off.count(excuse) == 0; }
};

/// What excuses a leaf.
struct FreeLeaf {
  std::string rule;  // the excuse
  std::string why;   // continues "output[0]: …, "
};

/// Both ran → nothing. Anything else is decided here.
[[nodiscard]] std::optional<Verdict> judge_outcomes(const Evidence& evidence, const Judging& judging);

/// Inputs that differ, an eager program that does not repeat itself, a compiled mode that compiled nothing.
[[nodiscard]] std::optional<Verdict> judge_comparability(const Evidence& evidence, const Judging& judging);

/// Shape, type, dtype, requires_grad, and leaves that only one side has.
[[nodiscard]] std::optional<Verdict> judge_metadata(const Evidence& evidence, const Judging& judging);

/// Aliasing and strides: asked only when no value differs, since a wrong value says more.
[[nodiscard]] std::optional<Verdict> judge_layout(const Evidence& evidence, const Judging& judging);
/// Whether that found it: judged, and often held, otherwise than a wrong shape or dtype.
[[nodiscard]] bool is_about_layout(const Verdict& verdict);

/// Whether the sign of a zero is all that a verdict is about: judged apart, after all other differences.
[[nodiscard]] bool is_about_zero_sign(const Verdict& verdict);

/// Verdicts that any other inconsistency goes before: those, and faults that are known.
[[nodiscard]] bool speaks_last(const Verdict& verdict);

/// What the program was told otherwise, or saw of the stack, where that gives a leaf of compiled code's.
[[nodiscard]] std::optional<FreeLeaf> asked_leaf(const LeafMeasurement& leaf, const Judging& judging);

/// Values, with the double and precise runs where the evidence has them.
[[nodiscard]] std::optional<Verdict> judge_numbers(const Evidence& evidence, const Judging& judging);

/// What the number rules make of each leaf whose values differ.
struct LeafReason {
  std::string path;
  bool reported = false;
  std::string rule;
  std::string sentence;
};
[[nodiscard]] std::vector<LeafReason> reasons_of_numbers(const Evidence& evidence, const Judging& judging);

// ---- small things all groups use

[[nodiscard]] Verdict make_verdict(VerdictKind verdict, std::string rule, std::string explanation);
[[nodiscard]] Verdict make_inconsistent(Kind kind, std::string rule, std::string explanation,
                                        std::vector<std::string> leaves = {});

/// A freedom of the documentation that reaches the leaf and may excuse it, or the spread of eager's own runs.
[[nodiscard]] std::optional<FreeLeaf> free_leaf(const Evidence& evidence, const Judging& judging,
                                                const std::string& path);

/// Whether a leaf has a say: not inputs before the call, not what nobody could look into, and not what a program keeps
/// where two eager runs of it keep something else (the time, an address).
[[nodiscard]] bool is_compared(const Evidence& evidence, const LeafMeasurement& leaf);

/// Names each leaf that should have been compared and was not: "output[2] (collections.Foo), …"; empty where all were.
[[nodiscard]] std::string not_compared(const Evidence& evidence);

/// Three significant digits: "0.12", "1.3e-06".
[[nodiscard]] std::string short_number(double value);

/// Order in which leaves speak for the whole program: outputs first, gradients last.
[[nodiscard]] int rank(LeafGroup group);

/// What an inconsistent leaf of this group makes of the program: numerical, mutation or gradient.
[[nodiscard]] Kind kind_of_values(LeafGroup group);

}  // namespace parityd::oracle::rules
