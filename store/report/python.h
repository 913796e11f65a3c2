// JSON values as Python source. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace parityd::store {

/// A literal that evaluates to the value: strings quoted and escaped, true → True, null → None.
[[nodiscard]] std::string python_literal(const nlohmann::json& value);

}  // namespace parityd::store
