// The request of a strategy that gives a model source text to read. Text in, text out; any thread.
#pragma once

#include <string>
#include <vector>

#include "prompts/source_text.h"
#include "prompts/strategy.h"

namespace parityd::prompts {

/// What was supposed of the same source text before.
struct TriedHypothesis {
  std::string text, outcome;
};

/// A chapter, and what is known about it.
struct ReadingFacts {
  std::string torch, torch_before;  // the latter of a change
  std::string area;                 // "lowerings"
  std::vector<SourceText> units;
  std::vector<SourceText> helpers;  // called from them, standing elsewhere
  std::vector<std::string> promises;
  std::vector<std::string> known;  // bugs of operators that stand there, a line each
  std::vector<TriedHypothesis> tried;
};

/// Programs that a reading asks for. Of these so many may be about a check alone that eager makes: such differences are
/// plenty, and seldom worth an issue.
inline constexpr int kProgramsOfReading = 5;
inline constexpr int kChecksOfReading = 1;

/// How many of the units the trimmed message holds.
[[nodiscard]] std::size_t units_when_trimmed(const ReadingFacts& facts);

/// The user message, what is the same for the same chapter first.
[[nodiscard]] std::string render_reading(const Strategy& strategy, const ReadingFacts& facts,
                                         Quoting quoting = Quoting::whole);

}  // namespace parityd::prompts
