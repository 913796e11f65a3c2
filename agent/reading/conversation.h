// A conversation about a chapter goes on with what came of the programs that a model wrote. All of it stands in the
// database, so that a restart loses nothing. One thread (the loop's).
#pragma once

#include "prompts/outcomes.h"
#include "store/store.h"

namespace parityd::agent {

/// What came of the hypotheses of a reply that had a program, all of them ended.
[[nodiscard]] prompts::OutcomeFacts outcome_facts(const store::Store& store, const store::ReadingRow& reading);

}  // namespace parityd::agent
