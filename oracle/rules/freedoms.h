// What PyTorch's documentation leaves undefined or open: the rules by which eager_watched observes operators, each with
// its source (docs/excuses.md). Data and a look-up; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/evidence.h"

namespace parityd::oracle {

struct Freedom {
  enum class Kind {
    undefined,  // the result may be anything
    open,       // one of several right results: which of equal elements an index names
  };
  Kind kind = Kind::undefined;
  std::string_view name;    // what an observation calls it: "right_shift_amount"
  std::string_view excuse;  // the excuse's name: "undefined.right_shift_amount"
  std::string_view about;   // what it says, in words
  std::string_view source;  // documentation or maintainers' word
};

[[nodiscard]] const std::vector<Freedom>& freedoms();

struct Reached {
  const Freedom* freedom = nullptr;
  const Observation* observation = nullptr;
};

/// Each freedom that reaches the leaf, by what eager_watched saw. Observations by unknown rules do not count.
[[nodiscard]] std::vector<Reached> freedoms_reaching(const Evidence& evidence, const std::string& path);

/// Whether there was a run to observe.
[[nodiscard]] bool was_watched(const Evidence& evidence);

// Operators whose results PyTorch itself does not promise twice alike (torch.use_deterministic_algorithms lists them).
// Their spread is learnt from the two eager runs of a round and widens what counts as different, leaf by leaf. Pure;
// any thread.

struct NondeterministicOperator {
  std::string_view name;  // as graphs hold it, without namespace, overload and trailing underscore: "index_add"
  std::string_view of;    // what the documentation names
  [[nodiscard]] std::string excuse() const { return "nondeterministic." + std::string(name); }
};

/// The operators torch.use_deterministic_algorithms lists, by the names they have in captured graphs, and what they are
/// decomposed into.
[[nodiscard]] const std::vector<NondeterministicOperator>& nondeterministic_operators();
inline constexpr std::string_view kNondeterministicSource =
    "https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html";

/// How far a leaf of eager moves by itself.
struct Spread {
  const NondeterministicOperator* operator_used = nullptr;
  const LeafMeasurement* repeat = nullptr;  // eager_repeat against eager
};
/// nullopt where the leaf repeats itself bit for bit, where more than its values moved, or where no operator of the
/// table was captured: then nothing explains it.
[[nodiscard]] std::optional<Spread> spread_of(const Evidence& evidence, const std::string& path);

/// Whether `leaf`, compiled against eager, lies within four times the spread: two runs show only a part of it.
[[nodiscard]] bool within(const Spread& spread, const LeafMeasurement& leaf);

}  // namespace parityd::oracle
