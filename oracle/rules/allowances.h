// What PyTorch's documentation leaves undefined or open: the rules by which eager_watched observes operators, each with
// its source (docs/excuses.md). Data and a look-up; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/evidence.h"

namespace parityd::oracle {

struct Allowance {
  enum class Kind {
    undefined,  // the result may be anything
    open,       // one of several right results: which of equal elements an index names
  };
  Kind kind = Kind::undefined;
  std::string_view name;    // the rule of an observation: "right_shift_amount"
  std::string_view excuse;  // the excuse's name: "undefined.right_shift_amount"
  std::string_view about;   // the condition, in words
  std::string_view source;  // documentation, or a maintainer's statement
};

[[nodiscard]] const std::vector<Allowance>& allowances();

struct Reached {
  const Allowance* allowance = nullptr;
  const Observation* observation = nullptr;
};

/// Each allowance that reaches the leaf according to eager_watched. Observations by unknown rules are ignored.
[[nodiscard]] std::vector<Reached> allowances_of(const Evidence& evidence, const std::string& path);

/// Whether eager_watched ran to its end.
[[nodiscard]] bool was_watched(const Evidence& evidence);

// Operators whose results may differ from run to run according to PyTorch (torch.use_deterministic_algorithms lists
// them). How far they vary is learnt from the two eager runs of a round, and widens, leaf by leaf, what counts as
// different. Pure; any thread.

struct NondeterministicOperator {
  std::string_view name;  // as in graphs, without namespace, overload and trailing underscore: "index_add"
  std::string_view of;    // as the documentation calls it
  [[nodiscard]] std::string excuse() const { return "nondeterministic." + std::string(name); }
};

/// The operators that torch.use_deterministic_algorithms lists, by their names in captured graphs, and those they are
/// decomposed into.
[[nodiscard]] const std::vector<NondeterministicOperator>& nondeterministic_operators();
inline constexpr std::string_view kNondeterministicSource =
    "https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html";

/// How far a leaf differs between two eager runs.
struct Spread {
  const NondeterministicOperator* operator_used = nullptr;
  const LeafMeasurement* repeat = nullptr;  // eager_repeat against eager
};
/// nullopt if the leaf is the same bit for bit in both runs, if more than its finite values differ, or if no operator
/// of the table was captured, so that nothing explains the difference.
[[nodiscard]] std::optional<Spread> spread_of(const Evidence& evidence, const std::string& path);

/// Whether `leaf`, compiled against eager, is within four times the spread: two runs show only a part of it.
[[nodiscard]] bool within(const Spread& spread, const LeafMeasurement& leaf);

}  // namespace parityd::oracle
