// Examples in the help of commands. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// Command lines as one would type them, for a command ("worker build"); empty where there is nothing to show.
[[nodiscard]] const std::vector<std::string>& examples_of(std::string_view command);

}  // namespace parityd::agent
