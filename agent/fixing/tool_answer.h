// The answer in the text of a tool that answers with JSON (docs/inspect.md). Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace parityd::agent {

/// The object on the text's last line, which follows what the program printed. An empty object: there is none.
[[nodiscard]] nlohmann::json answer_of_tool(std::string_view text);

}  // namespace parityd::agent
