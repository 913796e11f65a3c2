// What `parityd stats --strategies` shows: what each strategy cost, brought and earned, how likely each is
// asked next, and how often attribution agreed with what models supposed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_strategies(Context& context, const store::Store& store);

/// All of it.
[[nodiscard]] nlohmann::json learnt_json(const store::Store& store);
/// What is learnt of each alone.
[[nodiscard]] nlohmann::json arms_json(const store::Store& store);

}  // namespace parityd::agent
