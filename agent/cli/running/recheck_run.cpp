#include "agent/cli/running/recheck_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/program/recheck.h"
#include "agent/daemon/wall_clock.h"
#include "executor/build_command.h"

namespace parityd::agent {
namespace {

using executor::Clock;

/// Drives findings through their rounds, a few at a time.
class Rechecks {
 public:
  Rechecks(Engine& engine, const Config& config, const store::Store& store, const RecheckRun& run)
      : engine_(engine),
        store_(store),
        findings_(run.findings),
        rounds_(config.gate_rounds),
        session_(engine, config.seed, config.excuses_off),
        waiting_(run.findings.begin(), run.findings.end()) {}

  tl::expected<void, std::string> run(const std::function<void(store::RecheckRow)>& told) {
    begin_some();
    return session_.run([this] { return running_.empty(); },
                        [&](const Examined& round) {
                          take(round, told);
                          begin_some();
                        });
  }

 private:
  struct Running {
    Subject subject;
    Recheck recheck;
  };

  void begin_some() {
    const auto most = static_cast<std::size_t>(engine_.pool->config(0).fork_parents);
    while (running_.size() < most && !waiting_.empty()) {
      auto [subject, known] = recheck_case(store_, waiting_.front(), 0);
      waiting_.pop_front();
      const auto [at, added] = running_.emplace(subject.program, Running{subject, {std::move(known), rounds_}});
      begin_round(at->second);
    }
  }

  void begin_round(const Running& running) {
    session_.examiner().gate(running.subject, Examination::recheck, running.recheck.next_round(), Clock::now());
  }

  void take(const Examined& round, const std::function<void(store::RecheckRow)>& told) {
    const auto found = running_.find(round.program);
    if (found == running_.end()) {
      return;
    }
    Recheck& recheck = found->second.recheck;
    recheck.take(round);
    if (!recheck.done()) {
      return begin_round(found->second);
    }
    store::RecheckRow row =
        recheck_row(recheck, round.program, *engine_.pool, 0, engine_.workers.front().torch, wall_clock());
    running_.erase(found);
    row.elsewhere = elsewhere(row);
    told(std::move(row));
  }

  [[nodiscard]] bool elsewhere(const store::RecheckRow& row) const {
    const auto& finding = *std::ranges::find(findings_, row.finding, &store::FindingRow::id);
    const auto found_on = store_.environments.find(finding.environment);
    return is_elsewhere(row, finding, found_on ? found_on->device_name : "");
  }

  Engine& engine_;
  const store::Store& store_;
  const std::vector<store::FindingRow>& findings_;
  int rounds_;
  JobSession session_;
  std::deque<store::FindingRow> waiting_;
  std::map<store::Id, Running> running_;
};

}  // namespace

tl::expected<void, std::string> run_rechecks(Config config, const store::Store& store, const RecheckRun& run,
                                             const std::function<void(store::RecheckRow)>& told) {
  config.groups = {run.group};
  auto engine = make_engine(config, find_installation().cache / "scratch" / fmt::format("recheck-{}", getpid()),
                            {.programs = static_cast<int>(run.findings.size()), .fresh = true});
  if (!engine) {
    return tl::unexpected(engine.error());
  }
  return Rechecks(*engine, config, store, run).run(told);
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
