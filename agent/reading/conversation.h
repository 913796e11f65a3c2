// A conversation about a chapter goes on with what came of the programs that a model wrote. All of it stands in the
// database, so that a restart loses nothing. One thread (the loop's).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/protocol.h"
#include "prompts/reading.h"
#include "store/store.h"

namespace parityd::agent {

/// What came of the hypotheses of a reply that had a program, all of them ended.
[[nodiscard]] prompts::OutcomeFacts outcome_facts(const store::Store& store, const store::ReadingRow& reading);

/// What a model is told once a program of its agreed with eager: which lines of the place ran, values, generated code.
struct Look {
  store::Id hypothesis = 0;
  std::string program;
  std::string device;
  std::optional<executor::SourceSpan> place;  // nullopt: the hypothesis names none that was read
};
/// Whether some have not been made.
[[nodiscard]] bool wants_looks(const store::Store& store, const store::ReadingRow& reading);
/// Those that have not been made of a reply whose programs have ended.
[[nodiscard]] std::vector<Look> looks_wanted(const store::Store& store, const store::ReadingRow& reading);

}  // namespace parityd::agent
