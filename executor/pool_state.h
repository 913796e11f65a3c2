// Inside of the pool: its workers, its queues and who gets what. One thread (the loop's).
#pragma once

#include <deque>

#include "executor/pool.h"
#include "executor/start_gate.h"
#include "executor/worker_process.h"

namespace parityd::executor {

struct Pool::State {
  PoolConfig config;
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  std::deque<Task> warm_queue, fresh_queue;
  std::vector<JobResult> results;
  StartGate gate;
  std::optional<Hello> hello;
  std::string environment_text;
  int environment_asked = 0;  // times
  TimePoint last_work{};      // submitted or done
  bool fresh_wanted = false;  // a fresh job has come: fork parents are kept from now on
  bool seed_kept = false;
  int next_number = 0;
  std::int64_t started = 0, retired = 0, killed = 0;

  void submit(Task task, TimePoint now);
  void service_workers(TimePoint now);
  void start_missing(TimePoint now);
  void retire_worn(TimePoint now);
  void dispatch(TimePoint now);

  [[nodiscard]] int count(Role role, WorkerProcess::State state) const;
  [[nodiscard]] int missing(Role role) const;
  /// Nobody has told the environment, nobody is asked at the moment, and somebody could be.
  [[nodiscard]] bool can_ask_environment() const;
  [[nodiscard]] TimePoint environment_due() const;

 private:
  void settle(Finished finished);
  void account(const WorkerProcess& worker, TimePoint now);
  void start(Role role, TimePoint now);
  void dispatch_queue(std::deque<Task>& queue, Role role, TimePoint now);
  void ask_environment(TimePoint now);
  [[nodiscard]] WorkerProcess* idle_worker(Role role, bool unused) const;
  [[nodiscard]] WorkerProcess* environment_worker() const;
  void keep_seed(const WorkerProcess& worker);
};

}  // namespace parityd::executor
