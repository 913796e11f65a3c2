#include "agent/cli/running/tool_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include "agent/cli/running/job_session.h"

namespace parityd::agent {
tl::expected<ToolText, std::string> run_tool(Config config, const ToolRun& run) {
  config.python = run.python;
  if (run.python.empty() && !run.torch.empty()) {
    const auto python = python_with(run.torch);
    if (!python) return tl::unexpected(python.error());
    config.python = *python;
  }
  config.device = run.device.empty() ? config.device : run.device;
  config.groups.clear();  // it asks for one interpreter and one device
  auto engine =
      make_engine(config, find_installation().cache / "scratch" / fmt::format("inspect-{}", getpid()), {.programs = 1});
  if (!engine) return tl::unexpected(engine.error());
  const auto text = JobSession(*engine, config.seed, {}).inspect(run.what);
  if (!text) return tl::unexpected(text.error());
  const auto hello = engine->pool->hello(0);
  return ToolText{.text = *text,
                  .torch = hello ? hello->torch : engine->workers.front().torch,
                  .device = std::string(executor::name(engine->pool->config(0).device))};
}

}  // namespace parityd::agent
