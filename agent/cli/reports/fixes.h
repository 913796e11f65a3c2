// Changes of torch that a language model proposed for findings, as `show`, `stats --fixes` and the page tell of them.
// One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

/// All of a try but its finding.
[[nodiscard]] nlohmann::json try_json(const store::FixTry& row);

/// "does not import".
[[nodiscard]] std::string words_of(store::FixResult result);

/// A table, then what failed by name; nothing if there are no checks.
void print_checks(Context& context, const std::vector<store::FixCheck>& checks);

/// Each try with its checks, and the diff of the newest accepted one; nothing if there are no tries.
void print_tries(Context& context, const std::vector<store::FixTry>& tries);

/// Success by area of the compiler, kind and model.
void print_fix_tally(Context& context, const store::Store& store);
[[nodiscard]] nlohmann::json fix_tally_json(const store::Store& store);

}  // namespace parityd::agent
