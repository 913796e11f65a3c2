// What `parityd stats --strategies` shows: what each choice's arms earned and how likely each is chosen next.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_arms(Context& context, const store::Store& store);

[[nodiscard]] nlohmann::json arms_json(const store::Store& store);

}  // namespace parityd::agent
