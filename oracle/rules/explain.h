// Evidence as a table for people: `parityd check --explain` and the draft. Pure; any thread.
#pragma once

#include <string>

#include "oracle/measure/evidence.h"
#include "oracle/rules/excuses.h"

namespace parityd::oracle {

inline constexpr std::size_t kExplanationColumns = 100;
inline constexpr std::size_t kMostLeavesExplained = 40;

/// The outcome of each mode, then for every leaf that differs anywhere its numbers in each measured pair. Lines are at
/// most 100 columns; control characters are shown as spaces. Ends with a newline.
[[nodiscard]] std::string explain(const Evidence& evidence);

/// The reasoning, leaf by leaf, of a gate round: what each rule asked, the numbers that answered, which rule decided.
/// Sentences are wrapped at 100 columns. Empty when no leaf differs in value.
[[nodiscard]] std::string reasoning(const Evidence& evidence, const ExcusesOff& off = {});

}  // namespace parityd::oracle
