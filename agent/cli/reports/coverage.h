// What `parityd stats --coverage` shows: how much of the compiler programs reached, how that grew, what nothing
// reached.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_coverage(Context& context, const store::Store& store);

/// How many features had been reached up to which program, at so many equal steps.
[[nodiscard]] std::vector<std::pair<store::Id, std::size_t>> coverage_growth(const store::Store& store, int points);

/// The same for a chart.
[[nodiscard]] nlohmann::json growth_json(const store::Store& store, int points);

/// With all names that were never reached, by kind.
[[nodiscard]] nlohmann::json coverage_json(const store::Store& store);

}  // namespace parityd::agent
