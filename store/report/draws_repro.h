// Scripts for findings about the compiler's own random numbers (executor/worker/running/draws.py). Eager and compiled
// draw different numbers, so the scripts compare what both have in common over many seeds. Python source. Internal to
// store/. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/report/draft.h"
#include "store/report/repro_parts.h"

namespace parityd::store {

/// The first reported leaf, if it is one of draws.py: "drawn.output[0].mean".
struct DrawnNumber {
  std::string place;  // Python expression for the tensor after a run; empty for a derivative
  std::string what;   // "mean", "repeat", "alike", "derivative", …
};
/// nullopt: the finding is about something else, or no expression reaches the tensor.
[[nodiscard]] std::optional<DrawnNumber> drawn_number(const DraftFacts& facts);

/// The meaning of the number, for people: "mean of output, over 32 seeds".
[[nodiscard]] std::string drawn_words(const DrawnNumber& number);

/// What is wrong: a clause for a title.
[[nodiscard]] std::string drawn_symptom(const DrawnNumber& number);

/// What was expected of it: a sentence without a subject.
[[nodiscard]] std::string drawn_expected(const DrawnNumber& number);

/// Sets the fields about it that the templates need.
void set_drawn(Fields& fields, const DrawnNumber& number, std::uint64_t seed, bool backward);

}  // namespace parityd::store
