// "Did you mean …?": the only implementation, for commands, options and configuration keys. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// The entry of `known` that `word` was most likely meant to be: at most two letters, or a third of the word, are
/// wrong, missing, extra or swapped. Nullopt: no entry is that close.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace parityd::agent
