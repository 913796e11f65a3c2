// A conversation about a chapter continues with the outcomes of the programs that the model wrote. All its state is in
// the database, so a restart loses nothing. One thread (the loop's).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/protocol.h"
#include "prompts/reading.h"
#include "store/store.h"

namespace parityd::agent {

/// Outcomes of those hypotheses of a reply that had a program. REQUIRES: all these programs have ended.
[[nodiscard]] prompts::OutcomeFacts outcome_facts(const store::Store& store, const store::ReadingRow& reading);

/// Extra data for the model when its program agreed with eager: which lines of the suspected place ran, values,
/// generated code.
struct Look {
  store::Id hypothesis = 0;
  std::string program;
  std::string device;
  std::optional<executor::SourceSpan> place;  // nullopt: the hypothesis names no place that was read
};
/// Whether some looks are still missing.
[[nodiscard]] bool wants_looks(const store::Store& store, const store::ReadingRow& reading);
/// The missing looks of a reply whose programs have ended.
[[nodiscard]] std::vector<Look> looks_wanted(const store::Store& store, const store::ReadingRow& reading);

}  // namespace parityd::agent
