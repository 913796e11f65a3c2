#include "executor/pool.h"

#include <algorithm>

#include "executor/pool_state.h"

// Where the defaults of Deadlines come from: on two busy cores the first start on a machine took 50 s to build
// Inductor's precompiled header; a program's eager steps take milliseconds, so 30 s is a hang; max-autotune compiles
// took a minute; the heartbeat needs no interpreter lock, so only a stopped or drowning machine keeps it silent for 30
// s.

namespace parityd::executor {

Pool::Pool(PoolConfig config, TimePoint now) : state_(std::make_unique<State>()) {
  state_->config = std::move(config);
  state_->last_work = now;
  std::filesystem::create_directories(state_->config.scratch);
  state_->start_missing(now);
}

Pool::~Pool() = default;

void Pool::submit(Job job, TimePoint now) { state_->submit(Task{.work = std::move(job)}, now); }
void Pool::submit(SameJob job, TimePoint now) { state_->submit(Task{.work = std::move(job)}, now); }

void Pool::cancel_queued() {
  state_->warm_queue.clear();
  state_->fresh_queue.clear();
}

void Pool::append_interests(std::vector<Interest>& interests) const {
  for (const auto& worker : state_->workers) {
    worker->append_interests(interests);
  }
}

std::optional<TimePoint> Pool::next_deadline() const {
  TimePoint next = TimePoint::max();
  for (const auto& worker : state_->workers) {
    next = std::min(next, worker->next_deadline().value_or(TimePoint::max()));
  }
  if (state_->missing(Role::warm) > 0 || state_->missing(Role::fork_parent) > 0) {
    next = std::min(next, state_->gate.next());
  }
  if (state_->can_ask_environment()) {
    next = std::min(next, state_->environment_due());
  }
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
}

void Pool::service(TimePoint now) {
  state_->service_workers(now);
  state_->start_missing(now);
  state_->dispatch(now);
  state_->retire_worn(now);
}

std::vector<JobResult> Pool::take_results() { return std::exchange(state_->results, {}); }

int Pool::free_warm() const {
  const int idle_workers = state_->count(Role::warm, WorkerProcess::State::idle);
  return std::max(0, idle_workers - static_cast<int>(state_->warm_queue.size()));
}

int Pool::free_fresh() const {
  // Fork parents that are not started yet count: they are started when a job comes.
  const int busy = state_->count(Role::fork_parent, WorkerProcess::State::busy);
  return std::max(0, state_->config.fork_parents - busy - static_cast<int>(state_->fresh_queue.size()));
}

bool Pool::idle() const {
  return state_->warm_queue.empty() && state_->fresh_queue.empty() &&
         std::ranges::none_of(state_->workers, [](const auto& worker) { return worker->has_job(); });
}

PoolCounts Pool::counts() const {
  using Stage = WorkerProcess::State;
  PoolCounts counts;
  counts.warm_ready = state_->count(Role::warm, Stage::idle);
  counts.warm_busy = state_->count(Role::warm, Stage::busy);
  counts.fork_ready = state_->count(Role::fork_parent, Stage::idle);
  counts.fork_busy = state_->count(Role::fork_parent, Stage::busy);
  for (const Role role : {Role::warm, Role::fork_parent}) {
    counts.starting += state_->count(role, Stage::starting) + state_->count(role, Stage::priming);
  }
  counts.started = state_->started;
  counts.retired = state_->retired;
  counts.killed = state_->killed;
  counts.queued = static_cast<int>(state_->warm_queue.size() + state_->fresh_queue.size());
  return counts;
}

std::optional<Hello> Pool::hello() const { return state_->hello; }
std::optional<std::string> Pool::broken() const { return state_->gate.broken(); }
std::string Pool::environment_text() const { return state_->environment_text; }

}  // namespace parityd::executor
