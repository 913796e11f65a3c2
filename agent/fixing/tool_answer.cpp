#include "agent/fixing/tool_answer.h"

#include <nlohmann/json.hpp>

namespace parityd::agent {

nlohmann::json answer_of_tool(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  auto answer = nlohmann::json::parse(text.substr(line == std::string_view::npos ? 0 : line + 1), nullptr, false);
  return answer.is_object() ? answer : nlohmann::json::object();
}

}  // namespace parityd::agent
