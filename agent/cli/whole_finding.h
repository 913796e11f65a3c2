// A finding with all that is known of it, as JSON: `show --json`, and the evidence of `export`. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "store/store.h"

namespace parityd::agent {

/// The finding as `findings --json` lists it, with its script, rounds, programs and what was done to it by hand.
[[nodiscard]] nlohmann::json whole_finding_json(const store::Store& store, const store::FindingRow& finding);

}  // namespace parityd::agent
