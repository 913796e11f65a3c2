// PyTorch's debugging tools, as `parityd inspect` names them (docs/inspect.md). The worker's inspection.py runs them.
// Pure; any thread.
#pragma once

#include <span>
#include <string_view>

namespace parityd::executor {

struct Tool {
  std::string_view name;
  std::string_view about;  // one line
};

/// All of them, in the order in which they are listed and gathered.
[[nodiscard]] std::span<const Tool> tools();
[[nodiscard]] bool is_tool(std::string_view name);

}  // namespace parityd::executor
