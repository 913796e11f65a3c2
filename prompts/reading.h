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

// The message that tells a model what came of the programs of its reading. Text in, text out; any thread.

enum class Came { shown, agreed, failed, otherwise };

/// One hypothesis that had a program.
struct ToldOutcome {
  int place = 0;  // in the reply: 1, 2, …
  std::string hypothesis;
  Came came = Came::otherwise;
  std::string words;                 // "compiled agrees with eager"
  std::vector<std::string> details;  // what was seen, a line each
  std::string seen;                  // at the place: lines that ran, values, generated code; empty: nobody looked
};

struct OutcomeFacts {
  std::string torch;
  std::vector<ToldOutcome> outcomes;  // in the order of the reply
};

/// The user message. `trimmed` leaves details and what was seen out.
[[nodiscard]] std::string render_outcomes(const Strategy& strategy, const OutcomeFacts& facts,
                                          Quoting quoting = Quoting::whole);

}  // namespace parityd::prompts
