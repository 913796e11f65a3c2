// One comment for an umbrella issue, with all cases that nobody has reported. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::store {

/// A table of the findings and, collapsed, the program of each, as far as GitHub's limit allows; what was left out is
/// said. Text of programs and messages is escaped.
[[nodiscard]] std::string umbrella_comment(const std::vector<FindingRow>& findings);

}  // namespace parityd::store
