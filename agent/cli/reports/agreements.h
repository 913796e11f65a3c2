// What `parityd stats --strategies` shows of hypotheses: how often attribution agreed with what models supposed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_agreements(Context& context, const store::Store& store);

[[nodiscard]] nlohmann::json agreements_json(const store::Store& store);

}  // namespace parityd::agent
