// Costs and results of strategies and of chapters' files, for `parityd stats --strategies` and `--coverage`. One
// thread.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

/// At most `most` rows: up to half are the ones with the best results, the rest the most expensive ones. REQUIRES:
/// `rows` are sorted, most expensive first; the result keeps that order.
[[nodiscard]] std::vector<store::YieldRow> most_telling(const std::vector<store::YieldRow>& rows, std::size_t most);

/// Prints strategies that read separately from the others; each kind follows a line with its totals.
void print_strategy_yields(Context& context, const store::Store& store);
void print_file_yields(Context& context, const store::Store& store);

[[nodiscard]] nlohmann::json strategy_yields_json(const store::Store& store);
[[nodiscard]] nlohmann::json file_yields_json(const store::Store& store);

}  // namespace parityd::agent
