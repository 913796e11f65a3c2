// Output of `parityd stats --coverage`: how much of the compiler was reached, how that grew, what was never reached.
// One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

void print_coverage(Context& context, const store::Store& store);

/// Number of features reached up to a program, at `points` equal steps.
[[nodiscard]] std::vector<std::pair<store::Id, std::size_t>> coverage_growth(const store::Store& store, int points);

/// The same as JSON, for a chart.
[[nodiscard]] nlohmann::json growth_json(const store::Store& store, int points);

/// Coverage with all names that were never reached, by kind.
[[nodiscard]] nlohmann::json coverage_json(const store::Store& store);

}  // namespace parityd::agent
