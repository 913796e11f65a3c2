#include "executor/pool_state.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 2;  // of a task that the harness, not the program, made fail
constexpr int kEnvironmentTries = 2;
constexpr std::chrono::seconds kQuiet{2};  // before a warm worker is kept busy with anything but programs

}  // namespace

void Pool::State::submit(Task task, TimePoint now) {
  last_work = now;
  fresh_wanted = fresh_wanted || task.is_fresh();
  (task.is_fresh() ? fresh_queue : warm_queue).push_back(std::move(task));
}

void Pool::State::service_workers(TimePoint now) {
  for (const auto& worker : workers) {
    const bool was_ready = worker->ready();
    worker->service(now);
    if (!was_ready && worker->ready()) {
      gate.primed();
      hello = hello.value_or(*worker->hello());
      keep_seed(*worker);
    }
    if (auto finished = worker->take_finished()) {
      last_work = now;
      settle(std::move(*finished));
    }
    if (worker->state() == WorkerProcess::State::gone) {
      account(*worker, now);
    }
  }
  std::erase_if(workers, [](const auto& worker) { return worker->state() == WorkerProcess::State::gone; });
}

void Pool::State::settle(Finished finished) {
  if (finished.result.harness_failure.empty()) {
    gate.job_done();
  } else if (++finished.task.attempts < kTries && !std::holds_alternative<EnvironmentJob>(finished.task.work)) {
    (finished.task.is_fresh() ? fresh_queue : warm_queue).push_front(std::move(finished.task));
    return;
  }
  if (std::holds_alternative<EnvironmentJob>(finished.task.work)) {
    environment_text = std::move(finished.environment);
    return;
  }
  results.push_back(std::move(finished.result));
}

void Pool::State::account(const WorkerProcess& worker, TimePoint now) {
  ++(worker.killed() ? killed : retired);
  if (!worker.start_failure().empty()) {
    gate.start_failed(worker.start_failure(), now);
  } else if (worker.died_idle()) {
    gate.died_idle(now);
  }
  std::error_code ignored;
  fs::remove_all(worker.scratch(), ignored);
}

/// The compiler's own first files, before any program ran, spare every later worker the vector-instruction probes
/// (the launcher copies them). Remote workers keep none.
void Pool::State::keep_seed(const WorkerProcess& worker) {
  if (seed_kept || worker.role() != Role::warm || !config.launch_prefix.empty() || config.shared_cache.empty()) {
    return;
  }
  seed_kept = true;
  const fs::path seed = config.shared_cache / "seed";
  const fs::path made = config.shared_cache / ("seed." + std::to_string(getpid()));
  std::error_code failed;
  if (fs::exists(seed, failed) || fs::is_empty(worker.scratch() / "inductor", failed) || failed) {
    return;
  }
  fs::remove_all(made, failed);
  fs::copy(worker.scratch() / "inductor", made, fs::copy_options::recursive, failed);
  if (!failed) {
    fs::rename(made, seed, failed);
  }
  if (failed) {
    fs::remove_all(made, failed);  // another daemon was first, or the disk is full: only speed is lost
  }
}

int Pool::State::count(Role role, WorkerProcess::State state) const {
  return static_cast<int>(std::ranges::count_if(
      workers, [&](const auto& worker) { return worker->role() == role && worker->state() == state; }));
}

int Pool::State::missing(Role role) const {
  if (role == Role::fork_parent && !fresh_wanted) {
    return 0;
  }
  int there = 0, worn = 0, starting = 0;
  for (const auto& worker : workers) {
    if (worker->role() == role && (worker->ready() || worker->starting())) {
      ++(worker->worn() ? worn : there);
      starting += worker->starting() ? 1 : 0;
    }
  }
  const int lacking = (role == Role::warm ? config.warm_workers : config.fork_parents) - there;
  // A worn worker goes on until its replacement is ready; one replacement at a time, for the memory they take.
  return worn == 0 ? lacking : std::max(lacking - worn, starting == 0 ? std::min(lacking, 1) : 0);
}

void Pool::State::start_missing(TimePoint now) {
  for (const Role role : {Role::warm, Role::fork_parent}) {
    for (int left = missing(role); left > 0 && gate.open(now); --left) {
      start(role, now);
    }
  }
}

void Pool::State::start(Role role, TimePoint now) {
  const int number = next_number++;
  gate.started(now);
  try {
    workers.push_back(std::make_unique<WorkerProcess>(config, role, number, now));
    ++started;
  } catch (const std::system_error& failure) {
    gate.start_failed(failure.what(), now);
  }
}

void Pool::State::retire_worn(TimePoint now) {
  int ready = 0;
  for (const auto& worker : workers) {
    ready += worker->role() == Role::warm && worker->ready() ? 1 : 0;
  }
  for (const auto& worker : workers) {
    if (ready > config.warm_workers && worker->worn() && worker->state() == WorkerProcess::State::idle) {
      worker->retire(now);
      --ready;
    }
  }
}

WorkerProcess* Pool::State::idle_worker(Role role, bool unused) const {
  for (const auto& worker : workers) {
    if (worker->role() == role && worker->state() == WorkerProcess::State::idle &&
        (!unused || worker->programs() == 0)) {
      return worker.get();
    }
  }
  return nullptr;
}

void Pool::State::dispatch_queue(std::deque<Task>& queue, Role role, TimePoint now) {
  for (auto task = queue.begin(); task != queue.end();) {
    WorkerProcess* const worker = idle_worker(role, task->attempts > 0);
    if (worker == nullptr && task->attempts == 0) {
      return;
    }
    if (worker == nullptr) {
      ++task;  // it waits for a worker that has run nothing; those behind it need not
      continue;
    }
    worker->assign(std::move(*task), now);
    task = queue.erase(task);
  }
}

void Pool::State::dispatch(TimePoint now) {
  dispatch_queue(warm_queue, Role::warm, now);
  dispatch_queue(fresh_queue, Role::fork_parent, now);
  ask_environment(now);
}

/// One in which no program ran and, best, none will.
WorkerProcess* Pool::State::environment_worker() const {
  WorkerProcess* const parent = idle_worker(Role::fork_parent, false);
  return parent != nullptr ? parent : idle_worker(Role::warm, true);
}

bool Pool::State::can_ask_environment() const {
  return environment_text.empty() && environment_asked < kEnvironmentTries && warm_queue.empty() &&
         fresh_queue.empty() && environment_worker() != nullptr &&
         std::ranges::none_of(workers, [](const auto& worker) { return worker->asked_environment(); });
}

TimePoint Pool::State::environment_due() const { return last_work + kQuiet; }

void Pool::State::ask_environment(TimePoint now) {
  if (can_ask_environment() && now >= environment_due()) {
    ++environment_asked;
    environment_worker()->assign(Task{.work = EnvironmentJob{}}, now);
  }
}

}  // namespace parityd::executor
