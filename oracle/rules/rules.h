// The parts of judge(): each group of rules examines the evidence and either decides or passes. Pure; any thread.
// Order: outcomes, then whether the runs can be compared at all, then exact metadata, then numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/rules/verdict.h"

namespace parityd::oracle::rules {

/// `cheap`: only eager and one compiled run, in one warm process. `full`: a whole confirmation round.
enum class Depth { cheap, full };

/// How to judge: from how much evidence, and without which excuses.
struct Judging {
  Depth depth = Depth::full;
  ExcusesOff off;
  [[nodiscard]] bool allows(std::string_view excuse) const { return off.count(excuse) == 0; }
};

/// The excuse of a leaf.
struct FreeLeaf {
  std::string rule;  // the excuse's name
  std::string why;   // continues "output[0]: …, "
};

/// nullopt if both ran; every other pair of outcomes is decided here.
[[nodiscard]] std::optional<Verdict> judge_outcomes(const Evidence& evidence, const Judging& judging);

/// Inputs that differ, an eager program that is not reproducible, a compiled mode that compiled nothing, and what the
/// way of compiling is documented to leave out.
[[nodiscard]] std::optional<Verdict> judge_comparability(const Evidence& evidence, const Judging& judging);

/// Shape, type, dtype, requires_grad, and leaves that only one side has.
[[nodiscard]] std::optional<Verdict> judge_metadata(const Evidence& evidence, const Judging& judging);

/// Aliasing and strides. Reported only if no value differs, since a wrong value is more informative.
[[nodiscard]] std::optional<Verdict> judge_layout(const Evidence& evidence, const Judging& judging);
/// Whether judge_layout() decided: such verdicts are treated, and often held, separately from a wrong shape or dtype.
[[nodiscard]] bool is_about_layout(const Verdict& verdict);

/// Whether only the sign of a zero differs: any other difference takes precedence.
[[nodiscard]] bool is_about_zero_sign(const Verdict& verdict);

/// Whether any other inconsistency takes precedence: the sign of a zero, and known faults.
[[nodiscard]] bool speaks_last(const Verdict& verdict);

/// An excuse of the leaf if eager gives compiled code's value once it is told that it is compiled, or (if it is no
/// output) without checkpoints, or if eager's value moves, too, once the program sees another stack. nullopt if nothing
/// of this holds.
[[nodiscard]] std::optional<FreeLeaf> asked_leaf(const LeafMeasurement& leaf, const Judging& judging);

/// Values; uses the double and precise runs if the evidence has them.
[[nodiscard]] std::optional<Verdict> judge_numbers(const Evidence& evidence, const Judging& judging);

/// How the number rules judge each leaf whose values differ.
struct LeafReason {
  std::string path;
  bool reported = false;
  std::string rule;
  std::string sentence;
};
[[nodiscard]] std::vector<LeafReason> reasons_of_numbers(const Evidence& evidence, const Judging& judging);

// ---- shared by all groups

[[nodiscard]] Verdict make_verdict(VerdictKind verdict, std::string rule, std::string explanation);
[[nodiscard]] Verdict make_inconsistent(Kind kind, std::string rule, std::string explanation,
                                        std::vector<std::string> leaves = {});

/// An excuse of the leaf: an allowance of the documentation that reaches it, or the spread of eager's own runs.
[[nodiscard]] std::optional<FreeLeaf> free_leaf(const Evidence& evidence, const Judging& judging,
                                                const std::string& path);

/// Whether the leaf is compared: not inputs before the call, not values that cannot be looked into, and not state in
/// which two eager runs differ (the time, an address).
[[nodiscard]] bool is_compared(const Evidence& evidence, const LeafMeasurement& leaf);

/// Lists the leaves that could not be compared: "output[2] (collections.Foo), …"; empty if there are none.
[[nodiscard]] std::string not_compared(const Evidence& evidence);

/// Three significant digits: "0.12", "1.3e-06".
[[nodiscard]] std::string short_number(double value);

/// The order in which leaves are reported: outputs first, gradients last.
[[nodiscard]] int rank(LeafGroup group);

/// The kind of finding of an inconsistent leaf in this group: numerical, mutation or gradient.
[[nodiscard]] Kind kind_of_values(LeafGroup group);

}  // namespace parityd::oracle::rules
