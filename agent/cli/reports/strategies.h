// Output of `parityd stats --strategies`: each strategy's cost, results and reward, how likely it is chosen next, and
// how often attribution agreed with models' hypotheses. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_strategies(Context& context, const store::Store& store);

/// All of the above.
[[nodiscard]] nlohmann::json learnt_json(const store::Store& store);
/// Only what was learnt about each strategy.
[[nodiscard]] nlohmann::json arms_json(const store::Store& store);

}  // namespace parityd::agent
