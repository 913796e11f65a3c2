#include "executor/tools.h"

#include <algorithm>
#include <array>

namespace parityd::executor {
namespace {

constexpr auto kTools = std::to_array<Tool>({
#include "executor/tool_rows.inc"
});
constexpr auto kAsked = std::ranges::count(kTools, false, &Tool::of_daemon);
static_assert(std::ranges::is_partitioned(kTools, [](const Tool& tool) { return !tool.of_daemon; }));

}  // namespace

std::span<const Tool> tools() { return std::span(kTools).first(kAsked); }

bool is_tool(std::string_view name) { return std::ranges::find(tools(), name, &Tool::name) != tools().end(); }

}  // namespace parityd::executor
