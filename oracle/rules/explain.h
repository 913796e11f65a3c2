// Formats evidence as a table for people: `parityd check --explain` and the draft. Pure; any thread.
#pragma once

#include <string>

#include "oracle/measure/evidence.h"
#include "oracle/rules/excuses.h"

namespace parityd::oracle {

inline constexpr std::size_t kExplanationColumns = 100;
inline constexpr std::size_t kMostLeavesExplained = 40;

/// The outcome of each mode, then the numbers of each measured pair for every leaf that differs in any pair. Lines have
/// at most 100 columns; control characters are shown as spaces. Ends with a newline.
[[nodiscard]] std::string explain(const Evidence& evidence);

/// The reasoning over a confirmation round, leaf by leaf: what each rule asked, the numbers that answered, and which
/// rule decided. Wrapped at 100 columns. Empty if no leaf differs in value.
[[nodiscard]] std::string reasoning(const Evidence& evidence, const ExcusesOff& off = {});

}  // namespace parityd::oracle
