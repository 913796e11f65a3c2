// One group of the pool: its workers, its queues and the assignment of tasks to workers. One thread (the loop's).
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "executor/pool/known_forms.h"
#include "executor/pool/pool.h"
#include "executor/pool/start_gate.h"
#include "executor/pool/worker_deadlines.h"
#include "executor/pool/worker_folders.h"
#include "executor/pool/worker_process.h"
#include "executor/process/interest.h"

namespace parityd::executor {

// How many fork parents a group keeps: the configured number, and more while warm workers are idle, so that no
// processor idles while suspects wait for confirmation. Pure; one thread.

class ForkParents {
 public:
  /// `configured` of them, and up to `warm_workers` more while that many warm workers are idle.
  ForkParents(int configured, int warm_workers);

  /// `idle_places`: warm workers without a program while none is queued. `jobs`: fresh jobs, running and queued.
  void observe(int idle_places, int jobs, TimePoint now);
  /// Fresh jobs allowed at the same time.
  [[nodiscard]] int allowed() const { return configured_ + lent_; }
  /// Fork parents to keep: more than configured only once there are jobs for them, and for a while afterwards.
  [[nodiscard]] int wanted() const { return wanted_; }
  /// When `observe` could reach a new result although no job has arrived or ended.
  [[nodiscard]] std::optional<TimePoint> next() const;

 private:
  int configured_;
  int most_lent_;
  int lent_ = 0;
  int wanted_;
  std::optional<TimePoint> idle_since_;
  TimePoint needed_{};  // when as many as `wanted_` were last useful
};

class Group {
 public:
  /// `pace` belongs to the pool and must outlive the group.
  Group(GroupConfig config, StartPace& pace, TimePoint now);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();  // kills every worker tree; those elsewhere are asked first and get some seconds to end

  void submit(Task task, TimePoint now);
  void cancel_queued();
  /// Asks workers elsewhere to end. To be called before the owner itself ends.
  void ask_to_end() const;
  /// All pipes as one interest, ready when any of them is.
  [[nodiscard]] std::optional<Interest> interest() const { return pipes_.together(); }
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  void poll(TimePoint now);
  void hand_out(TimePoint now);

  [[nodiscard]] const GroupConfig& config() const { return config_; }
  [[nodiscard]] std::vector<JobResult> take_results() { return std::exchange(results_, {}); }
  [[nodiscard]] std::vector<PoolNotice> take_notices() { return std::exchange(notices_, {}); }
  [[nodiscard]] WorkerSeconds take_seconds(TimePoint now);
  [[nodiscard]] std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }
  void know_forms(const std::vector<std::uint64_t>& forms) { known_forms_.add(forms); }
  void distrust(int worker, const std::string& why, TimePoint now);
  [[nodiscard]] int free_warm() const;
  [[nodiscard]] int free_fresh() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] PoolCounts counts() const;
  [[nodiscard]] const std::optional<Hello>& hello() const { return hello_; }
  [[nodiscard]] std::optional<std::string> broken() const { return gate_.broken(); }
  [[nodiscard]] std::optional<std::string> parked() const { return gate_.parked(); }
  [[nodiscard]] const std::optional<std::string>& short_of_files() const { return short_of_files_; }
  [[nodiscard]] const EnvironmentResult& environment() const { return environment_; }

 private:
  [[nodiscard]] int count(Role role, WorkerProcess::State state) const;
  [[nodiscard]] int ready(Role role) const;
  [[nodiscard]] int wanted(Role role) const;
  [[nodiscard]] bool warm_start() const;
  [[nodiscard]] bool all_at_work() const;
  [[nodiscard]] int missing(Role role) const;
  [[nodiscard]] int free_warm_places() const;
  [[nodiscard]] int fresh_jobs() const;
  void wait_for_ends(std::chrono::seconds patience) const;

  void look_for_cache(TimePoint now);
  void meet(WorkerProcess& worker, TimePoint now);
  void park(const std::string& why, TimePoint now);
  void notice(const WorkerProcess& worker);
  [[nodiscard]] std::vector<bool> due(TimePoint now) const;
  void service_workers(TimePoint now);
  void listen_to_workers();
  void settle(Finished finished);
  void account(const WorkerProcess& worker, TimePoint now);
  void account_idle(TimePoint now);
  void start_missing(TimePoint now);
  void start(Role role, TimePoint now);
  /// Why a missing worker cannot be started.
  enum class Lack { files, device_memory };
  [[nodiscard]] std::optional<Lack> lack_for(Role role) const;
  [[nodiscard]] bool may_open_files(Role role) const;
  [[nodiscard]] bool fits_on_device() const;
  void note(std::optional<Lack> lack, TimePoint now);
  void retire_surplus(Role role, int kept, TimePoint now);

  void dispatch(TimePoint now);
  void assign(WorkerProcess& worker, Task task, TimePoint now);
  void dispatch_warm(TimePoint now);
  void check_warm(TimePoint now);
  void dispatch_fresh(TimePoint now);
  void ask_environment(TimePoint now);
  [[nodiscard]] WorkerProcess* idle_worker(Role role, bool unused) const;
  [[nodiscard]] WorkerProcess* environment_worker() const;
  /// No worker has reported the environment, none is working on that request now, and one could be given it.
  [[nodiscard]] bool can_ask_environment() const;
  [[nodiscard]] TimePoint environment_due() const;

  GroupConfig config_;
  StepLimits limits_;
  KnownForms known_forms_;
  SharedCache cache_;  // before the workers: its lock is released after their processes are gone
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  InterestSet pipes_;  // of all workers, as of the last poll()
  std::deque<Task> warm_queue_, fresh_queue_;
  std::vector<JobResult> results_;
  std::vector<PoolNotice> notices_;
  std::vector<Settled> settled_;
  WorkerSeconds seconds_;
  TimePoint idle_since_;  // idle time is accounted up to here
  StartGate gate_;
  StartPace& pace_;
  ForkParents parents_;
  std::optional<Hello> hello_;
  TimePoint starts_again_{};                 // when to check again whether what was lacking is available
  std::optional<std::int64_t> device_free_;  // free bytes of the device, as last reported by a worker
  bool device_full_ = false;
  std::optional<std::string> short_of_files_;
  EnvironmentResult environment_;
  int environment_asked_ = 0;  // how often
  TimePoint last_work_;        // submitted or done, or a worker became ready for it
  bool submitted_ = false;     // since the queues were last examined
  bool cache_missing_ = true;
  bool builds_cache_ = false;  // for all workers of this build; otherwise another pool builds it, or there is no need
  bool fresh_wanted_;          // fork parents are kept
  bool confirms_ = false;      // one has been done: a finding may follow, whose draft needs the environment
  int next_number_ = 0;
  int epoch_ = 0;  // how often the environment has changed
  std::int64_t started_ = 0, retired_ = 0, killed_ = 0;
  std::int64_t canaries_passed_ = 0, canaries_failed_ = 0;
};

}  // namespace parityd::executor
