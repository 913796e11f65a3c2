// What `parityd stats --strategies` and `--coverage` show of costs: what strategies and chapters' files cost and what
// came of them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

/// Those that brought most (half of them at most) and those that cost most, in the order of `rows`: dearest first.
[[nodiscard]] std::vector<store::YieldRow> most_telling(const std::vector<store::YieldRow>& rows, std::size_t most);

/// Strategies that read stand apart, each kind after a line for all of it.
void print_strategy_yields(Context& context, const store::Store& store);
void print_file_yields(Context& context, const store::Store& store);

[[nodiscard]] nlohmann::json strategy_yields_json(const store::Store& store);
[[nodiscard]] nlohmann::json file_yields_json(const store::Store& store);

}  // namespace parityd::agent
