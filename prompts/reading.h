// The request of a strategy that gives a model source text to read. Text in, text out; any thread.
#pragma once

#include <string>
#include <vector>

#include "prompts/source_text.h"
#include "prompts/strategy.h"

namespace parityd::prompts {

/// An earlier hypothesis about the same source text.
struct TriedHypothesis {
  std::string text, outcome;
};

/// A chapter, and what is known about it.
struct ReadingFacts {
  std::string torch, torch_before;  // the latter only for a change
  std::string area;                 // "lowerings"
  std::vector<SourceText> units;
  std::vector<SourceText> helpers;  // called by the units, from elsewhere
  std::vector<std::string> promises;
  std::vector<std::string> known;  // bugs of operators in the chapter, one line each
  std::vector<TriedHypothesis> tried;
};

/// Number of programs that a reading asks for, and how many of them may be only about a check that eager makes: such
/// differences are plentiful and seldom worth an issue.
inline constexpr int kProgramsOfReading = 5;
inline constexpr int kChecksOfReading = 1;

/// How many of the units fit into the trimmed message.
[[nodiscard]] std::size_t units_when_trimmed(const ReadingFacts& facts);

/// The user message; parts that are the same for the same chapter come first.
[[nodiscard]] std::string render_reading(const Strategy& strategy, const ReadingFacts& facts,
                                         Quoting quoting = Quoting::whole);

// The message that sends a model the outcomes of the programs of its reading. Text in, text out; any thread.

enum class Came { shown, agreed, failed, otherwise };

/// The outcome of a hypothesis that had a program.
struct ToldOutcome {
  int place = 0;  // position in the reply: 1, 2, …
  std::string hypothesis;
  Came came = Came::otherwise;
  std::string words;                 // "compiled agrees with eager"
  std::vector<std::string> details;  // what was seen, one line each
  std::string seen;                  // at the place: lines that ran, values, generated code; empty: no look was made
};

struct OutcomeFacts {
  std::string torch;
  std::vector<ToldOutcome> outcomes;  // in reply order
};

/// The user message. `trimmed` omits details and what was seen.
[[nodiscard]] std::string render_outcomes(const Strategy& strategy, const OutcomeFacts& facts,
                                          Quoting quoting = Quoting::whole);

}  // namespace parityd::prompts
