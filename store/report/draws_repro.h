// The scripts of a finding about random numbers of the compiler's own (executor/worker/running/draws.py): eager and
// compiled draw other numbers, so what is compared is what both have in common over many seeds. Python source. Internal
// to store/. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/report/draft.h"
#include "store/report/repro_parts.h"

namespace parityd::store {

/// The first reported leaf, where it is one of draws.py: "drawn.output[0].mean".
struct DrawnNumber {
  std::string place;  // Python that reaches the tensor after a run; empty for a derivative
  std::string what;   // "mean", "repeat", "alike", "derivative", …
};
/// Nothing: the finding is about something else, or nothing is known to reach the tensor.
[[nodiscard]] std::optional<DrawnNumber> drawn_number(const DraftFacts& facts);

/// What the number says, for people: "mean of output, over 32 seeds".
[[nodiscard]] std::string drawn_words(const DrawnNumber& number);

/// What is wrong: a clause for a title.
[[nodiscard]] std::string drawn_symptom(const DrawnNumber& number);

/// What was to be expected of it: a sentence without a subject.
[[nodiscard]] std::string drawn_expected(const DrawnNumber& number);

/// What the templates have to know of it.
void set_drawn(Fields& fields, const DrawnNumber& number, std::uint64_t seed, bool backward);

}  // namespace parityd::store
