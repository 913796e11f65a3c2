// What `parityd stats --strategies` shows: what each strategy earned and how likely each is asked next.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_arms(Context& context, const store::Store& store);

[[nodiscard]] nlohmann::json arms_json(const store::Store& store);

}  // namespace parityd::agent
