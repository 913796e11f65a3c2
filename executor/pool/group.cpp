#include "executor/pool/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "executor/pool/devices.h"
#include "executor/process/open_files.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;
using State = WorkerProcess::State;

constexpr int kTries = 2;  // for a task that failed because of the harness, not the program
constexpr int kEnvironmentTries = 2;
constexpr std::chrono::seconds kOwnEnd{2};   // for workers elsewhere to end with their channel
constexpr std::chrono::seconds kGoodbye{3};  // and with their prefix, which is asked after that
constexpr std::chrono::seconds kQuiet{2};    // before a warm worker is kept busy with anything except programs

/// Workers elsewhere find or make their own caches.
SharedCache shared_cache(const GroupConfig& config) {
  return {config.launch_prefix.empty() ? config.shared_cache : fs::path(), std::string(name(config.device))};
}

}  // namespace

Group::Group(GroupConfig config, StartPace& pace, TimePoint now)
    : config_(std::move(config)),
      cache_(shared_cache(config_)),
      idle_since_(now),
      pace_(pace),
      parents_(config_.fork_parents, config_.warm_workers),
      last_work_(now),
      fresh_wanted_(config_.fork_parents_at_once) {
  fs::create_directories(config_.scratch);
  look_for_cache(now);
  start_missing(now);
  listen_to_workers();
}

/// SIGKILL does not reach what a launch prefix started elsewhere: srun, if killed, leaves its step behind.
Group::~Group() {
  if (config_.launch_prefix.empty()) return;
  wait_for_ends(kOwnEnd);
  ask_to_end();
  wait_for_ends(kGoodbye);
}

void Group::wait_for_ends(std::chrono::seconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  const auto someone_lives = [this] {
    return std::ranges::count_if(workers_, [](const auto& worker) { return !worker->has_ended(); }) > 0;
  };
  while (someone_lives() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Group::ask_to_end() const {
  if (config_.launch_prefix.empty()) return;
  for (const auto& worker : workers_) worker->ask_to_end();
}

void Group::submit(Task task, TimePoint now) {
  last_work_ = now;
  submitted_ = true;
  fresh_wanted_ = fresh_wanted_ || task.is_fresh();
  auto& queue = task.is_fresh() ? fresh_queue_ : warm_queue_;
  // If screening waited behind confirmations, warm workers would run out of programs.
  queue.insert(task.is_screening() ? queue.begin() : queue.end(), std::move(task));
}

void Group::cancel_queued() {
  warm_queue_.clear();
  fresh_queue_.clear();
}

std::optional<TimePoint> Group::next_deadline() const {
  TimePoint next = TimePoint::max();
  for (const auto& worker : workers_) {
    next = std::min(next, worker->next_deadline().value_or(TimePoint::max()));
    if (worker->state() == State::idle) next = std::min(next, worker->check_due().value_or(TimePoint::max()));
  }
  if (missing(Role::cache_builder) > 0 || missing(Role::warm) > 0 || missing(Role::fork_parent) > 0) {
    next = std::min(next, std::max({gate_.next(), starts_again_, pace_.next()}));
  }
  if (cache_missing_ && !builds_cache_) next = std::min(next, std::max({gate_.next(), starts_again_, cache_.next()}));
  if (can_ask_environment()) next = std::min(next, environment_due());
  next = std::min(next, parents_.next().value_or(TimePoint::max()));
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
}

void Group::poll(TimePoint now) {
  account_idle(now);
  service_workers(now);
  look_for_cache(now);
  parents_.observe(free_warm(), fresh_jobs(), now);
  start_missing(now);
  dispatch(now);
  retire_surplus(Role::warm, config_.warm_workers, now);
  retire_surplus(Role::fork_parent, parents_.wanted(), now);
  listen_to_workers();
}

void Group::listen_to_workers() {
  std::vector<Interest> interests;
  interests.reserve(workers_.size() * kFilesOfProcess);
  for (const auto& worker : workers_) worker->append_interests(interests);
  pipes_.become(interests);
}

WorkerSeconds Group::take_seconds(TimePoint now) {
  account_idle(now);
  for (const auto& worker : workers_) worker->account(now);
  return std::exchange(seconds_, {});
}

/// Adds the idle time of warm workers' places. A spare has no place until a worker leaves it.
void Group::account_idle(TimePoint now) {
  const int places = std::min(config_.warm_workers, ready(Role::warm));
  const int empty = std::max(0, places - count(Role::warm, State::busy));
  seconds_[Occupation::idle] += empty * std::chrono::duration<double>(now - idle_since_).count();
  idle_since_ = now;
}

/// For each worker, whether it needs service: of hundreds only a few have sent something.
std::vector<bool> Group::due(TimePoint now) const {
  const auto speaking = pipes_.speaking();
  std::vector<bool> due;
  due.reserve(workers_.size());
  for (const auto& worker : workers_) {
    const auto deadline = worker->next_deadline();
    due.push_back(worker->state() == State::ending || (deadline && *deadline <= now) ||
                  speaking.contains(worker->owner()));
  }
  return due;
}

void Group::service_workers(TimePoint now) {
  const auto due = this->due(now);
  std::size_t index = 0;
  for (const auto& worker : workers_) {
    const bool was_ready = worker->ready();
    if (due[index++]) worker->poll(now);
    if (!was_ready && worker->ready()) {
      gate_.primed();
      last_work_ = now;
      meet(*worker, now);
    }
    if (auto finished = worker->take_finished()) {
      last_work_ = now;
      settle(std::move(*finished));
    }
    std::ranges::move(worker->take_settled(), std::back_inserter(settled_));
    if (const auto free = worker->take_device_free()) device_free_ = free;
    if (const auto sound = worker->take_canary()) ++(*sound ? canaries_passed_ : canaries_failed_);
    if (worker->take_flooded()) {
      notices_.push_back({.what = PoolNotice::What::flooded,
                          .group = config_.name,
                          .text = fmt::format("{}: worker {}", config_.name, worker->number())});
    }
    if (worker->state() == State::gone) account(*worker, now);
  }
  std::erase_if(workers_, [](const auto& worker) { return worker->state() == State::gone; });
}

/// Compares what the worker's programs will run on with the group's environment. After an upgrade underneath a running
/// daemon, workers started earlier are useless.
void Group::meet(WorkerProcess& worker, TimePoint now) {
  const Hello& there = *worker.hello();
  const auto device_name = [&](const Hello& hello) { return hello.device_name(config_.device); };
  if (!hello_ ||
      (hello_->torch == there.torch && hello_->python == there.python && device_name(*hello_) == device_name(there))) {
    hello_ = hello_.value_or(there);
    return;
  }
  const std::string change =
      fmt::format("{}: torch {} with Python {} on {} became torch {} with Python {} on {}", config_.name, hello_->torch,
                  hello_->python, device_name(*hello_), there.torch, there.python, device_name(there));
  notices_.push_back({.what = PoolNotice::What::environment_changed, .group = config_.name, .text = change});
  hello_ = there;
  environment_ = {};
  environment_asked_ = 0;
  ++epoch_;
  known_forms_.clear();
  for (const auto& other : workers_) {
    if (other.get() != &worker && other->ready()) other->abandon("the environment has changed", now);
  }
}

/// The device must not be used: no worker starts work there, and one start a minute tests whether it is back.
void Group::park(const std::string& why, TimePoint now) {
  gate_.park(why, now);
  for (const auto& worker : workers_) {
    if (worker->state() == State::idle) worker->retire("its device must not be used", now);
  }
}

void Group::distrust(int number, const std::string& why, TimePoint now) {
  for (const auto& worker : workers_) {
    if (worker->number() == number && worker->ready()) worker->distrust(why, now);
  }
}

void Group::settle(Finished finished) {
  const bool asked_for = std::holds_alternative<Job>(finished.task.work);
  finished.result.epoch = epoch_;
  if (!finished.result.harness_failure.empty()) {
    finished.task.ends.push_back(
        fmt::format("{}, after {} programs", finished.result.harness_failure, finished.result.history.size()));
    finished.result.ends = finished.task.ends;
  }
  if (finished.result.harness_failure.empty()) {
    gate_.job_done();
    confirms_ = confirms_ || (finished.task.is_fresh() && !finished.task.is_screening());
  } else if (asked_for && ++finished.task.attempts < kTries) {
    (finished.task.is_fresh() ? fresh_queue_ : warm_queue_).push_front(std::move(finished.task));
    return;
  }
  if (std::holds_alternative<EnvironmentJob>(finished.task.work)) {
    environment_ = std::move(finished.environment);
  } else if (asked_for) {
    results_.push_back(std::move(finished.result));
  }
}

void Group::account(const WorkerProcess& worker, TimePoint now) {
  if (worker.role() != Role::cache_builder) ++(worker.killed() ? killed_ : retired_);
  if (worker.role() == Role::cache_builder) {
    const bool whole = worker.start_failure().empty() && worker.hello();
    cache_.release(whole ? std::optional(worker.hello()->torch) : std::nullopt);
  }
  if (!worker.start_failure().empty()) {
    gate_.start_failed(worker.start_failure(), now);
    if (parks_device(device_fault(worker.start_failure()))) park(worker.start_failure(), now);
  } else if (worker.died_idle()) {
    gate_.died_idle(now);
  }
  if (worker.start_failure().empty() && !worker.leaving().empty()) {
    notice(worker);
    if (parks_device(device_fault(worker.leaving()))) park(worker.leaving(), now);
  }
}

void Group::notice(const WorkerProcess& worker) {
  notices_.push_back({.what = worker.ending(),
                      .group = config_.name,
                      .text = fmt::format("{}: worker {} ended after {} programs: {}", config_.name, worker.number(),
                                          worker.programs(), worker.leaving())});
}

WorkerProcess* Group::idle_worker(Role role, bool unused) const {
  for (const auto& worker : workers_) {
    if (worker->role() == role && worker->state() == State::idle && (!unused || worker->programs() == 0)) {
      return worker.get();
    }
  }
  return nullptr;
}

void Group::assign(WorkerProcess& worker, Task task, TimePoint now) {
  worker.assign(std::move(task), now);
  if (auto failed = worker.take_finished()) {  // it could not even be sent
    settle(std::move(*failed));
  }
}

void Group::check_warm(TimePoint now) {
  for (const auto& worker : workers_) {
    const auto due = worker->check_due();
    if (worker->state() == State::idle && due && *due <= now) assign(*worker, Task{.work = CheckJob{}}, now);
  }
}

void Group::dispatch_warm(TimePoint now) {
  check_warm(now);
  for (auto task = warm_queue_.begin(); task != warm_queue_.end() && free_warm_places() > 0;) {
    WorkerProcess* const worker = idle_worker(Role::warm, task->attempts > 0);
    if (worker == nullptr && task->attempts == 0) return;
    if (worker == nullptr) {
      ++task;  // it waits for a worker that has run nothing; those behind it need not
    } else if (worker->canary_due()) {
      assign(*worker, Task{.work = CanaryJob{}}, now);
    } else {
      Task next = std::move(*task);
      warm_queue_.erase(task);
      assign(*worker, std::move(next), now);
      task = warm_queue_.begin();
    }
  }
}

void Group::dispatch_fresh(TimePoint now) {
  while (!fresh_queue_.empty()) {
    WorkerProcess* const worker = idle_worker(Role::fork_parent, false);
    if (worker == nullptr) return;
    Task next = std::move(fresh_queue_.front());
    fresh_queue_.pop_front();
    assign(*worker, std::move(next), now);
  }
}

void Group::hand_out(TimePoint now) {
  if (submitted_) {
    account_idle(now);
    dispatch(now);
    listen_to_workers();
  }
}

void Group::dispatch(TimePoint now) {
  submitted_ = false;
  dispatch_warm(now);
  ask_environment(now);
  dispatch_fresh(now);
}

int Group::free_warm_places() const {
  const int busy = count(Role::warm, State::busy);
  return std::min(count(Role::warm, State::idle), config_.warm_workers - busy);
}

int Group::free_warm() const { return std::max(0, free_warm_places() - static_cast<int>(warm_queue_.size())); }

int Group::fresh_jobs() const { return count(Role::fork_parent, State::busy) + static_cast<int>(fresh_queue_.size()); }

/// Includes fork parents that are not started yet: they are started when a job arrives.
int Group::free_fresh() const { return std::max(0, parents_.allowed() - fresh_jobs()); }

bool Group::idle() const {
  return warm_queue_.empty() && fresh_queue_.empty() &&
         std::ranges::none_of(workers_, [](const auto& worker) { return worker->has_job(); });
}

PoolCounts Group::counts() const {
  PoolCounts counts;
  counts.warm_ready = count(Role::warm, State::idle);
  counts.warm_busy = count(Role::warm, State::busy);
  counts.fork_ready = count(Role::fork_parent, State::idle);
  counts.fork_busy = count(Role::fork_parent, State::busy);
  for (const Role role : {Role::cache_builder, Role::warm, Role::fork_parent}) {
    counts.starting += count(role, State::starting) + count(role, State::priming);
  }
  counts.started = started_;
  counts.retired = retired_;
  counts.killed = killed_;
  counts.canaries_passed = canaries_passed_;
  counts.canaries_failed = canaries_failed_;
  counts.queued = static_cast<int>(warm_queue_.size() + fresh_queue_.size());
  return counts;
}

/// A worker that has run no program and, preferably, never will.
WorkerProcess* Group::environment_worker() const {
  WorkerProcess* const parent = idle_worker(Role::fork_parent, false);
  return parent != nullptr ? parent : idle_worker(Role::warm, true);
}

bool Group::can_ask_environment() const {
  const bool nobody_waits = warm_queue_.empty() && fresh_queue_.empty();
  return environment_.text.empty() && environment_asked_ < kEnvironmentTries && (confirms_ || nobody_waits) &&
         environment_worker() != nullptr &&
         std::ranges::none_of(workers_, [](const auto& worker) { return worker->asked_environment(); });
}

TimePoint Group::environment_due() const { return confirms_ ? last_work_ : last_work_ + kQuiet; }

void Group::ask_environment(TimePoint now) {
  if (can_ask_environment() && now >= environment_due()) {
    ++environment_asked_;
    environment_worker()->assign(Task{.work = EnvironmentJob{}}, now);
  }
}

}  // namespace parityd::executor
