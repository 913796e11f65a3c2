// PyTorch's debugging tools under the names `parityd inspect` uses: the rows of executor/shared/tools.json
// (docs/adding-a-tool.md). The worker's inspection.py runs them. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

namespace parityd::executor {

struct Tool {
  std::string_view name{};
  std::string_view about{};  // one line
  bool of_daemon = false;    // not offered by `parityd inspect`; these are the last rows
};

/// All tools of `parityd inspect`, in the order in which they are listed and gathered.
[[nodiscard]] std::span<const Tool> tools();
[[nodiscard]] bool is_tool(std::string_view name);

}  // namespace parityd::executor
