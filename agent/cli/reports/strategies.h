// What `parityd stats --strategies` shows: what each choice's arms earned and how likely each is chosen next, what
// strategies cost and brought, and how often attribution agreed with what models supposed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_strategies(Context& context, const store::Store& store);

/// All of it.
[[nodiscard]] nlohmann::json learnt_json(const store::Store& store);
/// The arms alone, of every choice.
[[nodiscard]] nlohmann::json arms_json(const store::Store& store);

}  // namespace parityd::agent
