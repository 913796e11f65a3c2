// Operators whose results PyTorch itself does not promise twice alike (torch.use_deterministic_algorithms lists them).
// Their spread is learnt from the two eager runs of a round and widens what counts as different, leaf by leaf. Pure;
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/evidence.h"

namespace parityd::oracle {

struct NondeterministicOperator {
  std::string_view name;    // as graphs hold it, without namespace, overload and trailing underscore: "index_add"
  std::string_view of;      // what the documentation names
  std::string_view excuse;  // "nondeterministic.index_add"
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
