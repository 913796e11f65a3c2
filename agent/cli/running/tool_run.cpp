#include "agent/cli/running/tool_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include "agent/cli/running/engine.h"
#include "agent/cli/running/examining.h"
#include "agent/llm/http.h"

namespace parityd::agent {
namespace {

executor::JobResult wait_for(Engine& engine, executor::Job job) {
  HttpClient http;  // the one place to wait
  engine.pool->submit(std::move(job), executor::Clock::now());
  while (true) {
    if (auto results = engine.pool->take_results(); !results.empty()) {
      return std::move(results.front());
    }
    if (const auto broken = engine.pool->broken()) {
      executor::JobResult failed;
      failed.harness_failure = *broken;
      return failed;
    }
    serve(engine, http);
  }
}

}  // namespace

tl::expected<ToolText, std::string> run_tool(Config config, const ToolRun& run) {
  config.python = run.python;
  if (run.python.empty() && !run.torch.empty()) {
    const auto python = python_with(run.torch);
    if (!python) {
      return tl::unexpected(python.error());
    }
    config.python = *python;
  }
  config.device = run.device.empty() ? config.device : run.device;
  config.groups.clear();  // it asks for one interpreter and one device
  auto engine =
      make_engine(config, find_installation().cache / "scratch" / fmt::format("inspect-{}", getpid()), {.programs = 1});
  if (!engine) {
    return tl::unexpected(engine.error());
  }
  const auto text = inspection_text(run.what, wait_for(*engine, inspection_job(run.what, 1, config.seed)));
  if (!text) {
    return tl::unexpected(text.error());
  }
  const auto hello = engine->pool->hello(0);
  return ToolText{.text = *text,
                  .torch = hello ? hello->torch : engine->workers.front().torch,
                  .device = std::string(executor::name(engine->pool->config(0).device))};
}

}  // namespace parityd::agent
