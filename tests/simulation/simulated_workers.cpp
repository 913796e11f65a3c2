#include "tests/simulation/simulated_workers.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "oracle/finding/tool_reports.h"
#include "tests/simulation/nature.h"

namespace parityd::simulation {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kStart = 12s;      // from a process' start to its first program
constexpr auto kDeadline = 180s;  // what a hang costs
constexpr int kWarm = 4, kFresh = 2;

}  // namespace

SimulatedWorkers::SimulatedWorkers(std::uint64_t seed, const Faults& faults, TimePoint now, Trace& trace)
    : random_(seed), faults_(faults), trace_(trace), now_(now), ready_at_(now + kStart), accounted_(now) {
  config_.name = "simulated";
  config_.warm_workers = kWarm;
  config_.fork_parents = kFresh;
}

int SimulatedWorkers::busy(bool fresh) const {
  return static_cast<int>(
      std::ranges::count_if(running_, [fresh](const Running& running) { return running.job.fresh == fresh; }));
}

int SimulatedWorkers::free_places(bool fresh) const {
  const auto waiting = std::ranges::count_if(queue_, [fresh](const auto& job) { return job.fresh == fresh; });
  return ready() ? std::max(0, (fresh ? kFresh : kWarm) - busy(fresh) - static_cast<int>(waiting)) : 0;
}

int SimulatedWorkers::free_warm(executor::GroupIndex) const { return free_places(false); }
int SimulatedWorkers::free_fresh(executor::GroupIndex) const { return free_places(true); }

void SimulatedWorkers::submit(executor::Job job, TimePoint) {
  job.fresh = job.fresh || !job.tool.empty();
  queue_.push_back(std::move(job));
}

std::optional<TimePoint> SimulatedWorkers::next_deadline() const {
  std::optional<TimePoint> next = next_change(faults_.workers, now_);
  const auto sooner = [&](TimePoint at) { next = std::min(next.value_or(at), at); };
  if (now_ < ready_at_) {
    sooner(ready_at_);
  }
  for (const Running& running : running_) {
    if (ready()) sooner(running.end);
  }
  return next;
}

/// While the workers are out of order nothing ends: what runs stands still.
void SimulatedWorkers::poll(TimePoint now) {
  const auto passed = now - std::exchange(now_, now);
  if (!ready()) {
    for (Running& running : running_) {
      running.end += passed;
    }
    return;
  }
  std::ranges::stable_sort(running_, {}, &Running::end);
  while (!running_.empty() && running_.front().end <= now_) {
    const Running done = std::move(running_.front());
    running_.erase(running_.begin());
    end(done);
  }
  dispatch();
}

void SimulatedWorkers::dispatch() {
  for (auto job = queue_.begin(); job != queue_.end();) {
    if (busy(job->fresh) >= (job->fresh ? kFresh : kWarm)) {
      ++job;
      continue;
    }
    const bool hangs = job->tool.empty() && nature_of(job->program).kind == Kind::hang && job->modes.size() > 1;
    const milliseconds takes =
        hangs ? milliseconds(kDeadline) : milliseconds((job->fresh ? 4000 : 800) + random_() % 4000);
    trace_.note(now_, "job {} of {}: {}", job->id, job->subject, job->fresh ? "fresh" : "warm");
    running_.push_back({.end = now_ + takes, .job = std::move(*job), .takes = takes});
    job = queue_.erase(job);
  }
}

void SimulatedWorkers::end(const Running& running) {
  executor::JobResult result = result_of(running.job);
  result.id = running.job.id;
  result.seconds = std::chrono::duration<double>(running.takes).count();
  trace_.note(now_, "job {} ends{}{}", result.id, result.death ? " dead" : "",
              result.harness_failure.empty() ? "" : " without a result");
  if (running.job.judged && result.harness_failure.empty() && !result.death) {
    settled_.push_back({.subjects = {running.job.subject}, .why = ""});
  }
  results_.push_back(std::move(result));
}

executor::JobResult SimulatedWorkers::result_of(const executor::Job& job) {
  executor::JobResult result;
  const auto happens = [this](double share) { return std::uniform_real_distribution<double>(0, 1)(random_) < share; };
  if (happens(faults_.harness_failures)) {
    result.harness_failure = "its worker broke twice";
    return result;
  }
  if (!job.tool.empty()) {
    result.text = job.tool == oracle::kScriptTool ? "shown\n" : "== " + job.tool + "\ntold\n";
    return result;
  }
  if (!job.fresh && !job.modes.empty() && happens(faults_.worker_deaths)) {
    result.death = executor::Death{.mode = job.modes.back(), .step = oracle::Step::compile, .signal = SIGKILL};
    return result;
  }
  Ran ran = run(nature_of(job.program), job, random_);
  const auto compiled = std::ranges::find_if(job.modes, oracle::is_compiled_choice);
  result.evidence =
      oracle::evidence_from(compiled == job.modes.end() ? oracle::Mode::inductor : *compiled, ran.records);
  result.death = ran.death;
  for (const auto& record : ran.records) {
    if (!job.artefacts.empty()) write_artefact(job.artefacts, record);
  }
  if (!job.artefacts.empty()) {
    result.evidence.measurements.clear();
  }
  return result;
}

std::vector<executor::WorkerSeconds> SimulatedWorkers::take_seconds(TimePoint now) {
  executor::WorkerSeconds seconds;
  seconds[executor::Occupation::idle] = std::chrono::duration<double>(now - std::exchange(accounted_, now)).count();
  return {seconds};
}

executor::PoolCounts SimulatedWorkers::counts() const {
  const int warm = ready() ? kWarm : 0;
  return {.warm_ready = std::max(0, warm - busy(false)), .warm_busy = busy(false), .fork_busy = busy(true)};
}

std::optional<executor::Hello> SimulatedWorkers::hello(executor::GroupIndex) const {
  if (now_ < ready_at_) {
    return std::nullopt;
  }
  return executor::Hello{.protocol = executor::kProtocolVersion, .torch = "2.13.0", .python = "3.11.0"};
}

std::optional<std::string> SimulatedWorkers::broken(executor::GroupIndex) const {
  return spell_at(faults_.workers, now_) != nullptr ? std::optional<std::string>("no worker starts") : std::nullopt;
}

const executor::EnvironmentResult& SimulatedWorkers::environment(executor::GroupIndex) const { return environment_; }

}  // namespace parityd::simulation
