// The message that tells a model what came of the programs of its reading. Text in, text out; any thread.
#pragma once

#include <string>
#include <vector>

#include "prompts/strategy.h"

namespace parityd::prompts {

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
