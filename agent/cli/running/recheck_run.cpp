#include "agent/cli/running/recheck_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/loop/wall_clock.h"
#include "executor/build_command.h"

namespace parityd::agent {
tl::expected<void, std::string> run_rechecks(Config config, const store::Store& store, const RecheckRun& run,
                                             const std::function<void(store::RecheckRow)>& told) {
  config.groups = {run.group};
  auto engine = make_engine(config, find_installation().cache / "scratch" / fmt::format("recheck-{}", getpid()),
                            {.programs = static_cast<int>(run.findings.size()), .fresh = true});
  if (!engine) return tl::unexpected(engine.error());
  auto waiting = run.findings.begin();
  const auto next = [&] {
    return waiting == run.findings.end() ? std::nullopt : std::optional(recheck_case(store, *waiting++, 0));
  };
  const auto most = static_cast<std::size_t>(engine->pool->config(0).fork_parents);
  JobSession session(*engine, config.seed, config.excuses_off);
  return session.recheck(next, config.gate_rounds, most, [&](const Subject& subject, const Recheck& recheck) {
    store::RecheckRow row =
        recheck_row(recheck, subject.program, *engine->pool, 0, engine->workers.front().torch, wall_clock());
    const auto& finding = *std::ranges::find(run.findings, row.finding, &store::FindingRow::id);
    const auto found_on = store.environments.find(finding.environment);
    row.elsewhere = is_elsewhere(row, finding, found_on ? found_on->device_name : "");
    told(std::move(row));
  });
}

std::optional<std::string> obstacle_to(const Config& config, const std::filesystem::path& python) {
  if (!config.launch.empty() && config.groups.empty()) {
    return std::nullopt;  // only its host can tell
  }
  if (!std::filesystem::exists(executor::absolute_program(python))) {
    return fmt::format("there is no {}", python.string());
  }
  if (!executor::find_worker(find_installation().worker_places(), python)) {
    return fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", python.string());
  }
  return std::nullopt;
}

std::string torch_built_for(const std::filesystem::path& python) {
  const auto worker = executor::find_worker(find_installation().worker_places(), python);
  return worker ? worker->torch : "";
}

}  // namespace parityd::agent
