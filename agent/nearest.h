// "Did you mean …?": the one implementation, for commands, options and keys of the configuration. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// The one of `known` that `word` was most likely meant to be: so few letters are wrong, missing, too many or swapped
/// that it is no other word (two, or a third of it). Nullopt: none is.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace parityd::agent
