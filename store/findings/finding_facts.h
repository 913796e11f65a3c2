// What a finding can be looked for by: the operators and dtypes of its first program. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracle/rules/verdict.h"

namespace parityd::store {

/// The captured graph's, whole names ("aten.max.dim"), sorted; empty where nothing was captured.
[[nodiscard]] std::vector<std::string> operators_shown(const oracle::Evidence& evidence);

/// Of the leaves that differ between eager and compiled, and those the program's text names ("torch.int8", ".half()");
/// sorted.
[[nodiscard]] std::vector<std::string> dtypes_shown(const oracle::Evidence& evidence, std::string_view program);

}  // namespace parityd::store
