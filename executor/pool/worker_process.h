// One worker as the pool sees it: a process, its state, its task and the deadlines that apply.
// One thread (the loop's).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "executor/pool/known_forms.h"
#include "executor/pool/pool.h"
#include "executor/pool/pool_notice.h"
#include "executor/pool/worker_deadlines.h"
#include "executor/pool/worker_launch.h"
#include "executor/process/process.h"
#include "executor/process/process_record.h"

namespace parityd::executor {

struct EnvironmentJob {};
struct CanaryJob {};
struct CheckJob {};

struct Task {
  std::variant<Job, EnvironmentJob, CanaryJob, CheckJob> work;
  int attempts = 0;               // attempts ended by a harness failure
  std::vector<std::string> ends;  // how each of them ended

  [[nodiscard]] const Job* job() const { return std::get_if<Job>(&work); }
  [[nodiscard]] JobId id() const { return job() != nullptr ? job()->id : 0; }
  /// Runs in a fork parent.
  [[nodiscard]] bool is_fresh() const { return job() != nullptr && (job()->fresh || is_tool() || is_screening()); }
  /// Runs one of PyTorch's debugging tools.
  [[nodiscard]] bool is_tool() const { return job() != nullptr && !job()->tool.empty(); }
  [[nodiscard]] bool is_screening() const { return job() != nullptr && job()->screening; }
};

struct Finished {
  Task task;
  JobResult result;
  EnvironmentResult environment;  // for EnvironmentJob only
};

class WorkerProcess {
 public:
  enum class State {
    starting,  // no hello yet
    priming,   // no primed yet
    idle,
    busy,
    ending,  // asked to end or killed, but not reaped yet
    gone,
  };

  /// Shared by all workers of a group. The references outlive the worker.
  struct Home {
    const GroupConfig& config;
    StepLimits& limits;
    const KnownForms& known_forms;
    WorkerSeconds& seconds;
  };

  /// Throws std::system_error when the launcher cannot be started.
  WorkerProcess(Home home, Role role, int number, TimePoint now);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills its tree and removes its folder

  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool ready() const { return state_ == State::idle || state_ == State::busy; }
  [[nodiscard]] bool starting() const { return state_ == State::starting || state_ == State::priming; }
  [[nodiscard]] std::size_t programs() const { return history_.size(); }
  /// Why it should be replaced once another is ready; empty while it is good.
  [[nodiscard]] const std::string& worn() const { return worn_; }
  [[nodiscard]] bool canary_due() const;
  /// When its whole state is to be checked; nullopt: no verdict depends on it. A waiting program comes first.
  [[nodiscard]] std::optional<TimePoint> check_due() const;
  /// Whether its verdicts hold, since the last call.
  [[nodiscard]] std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }
  /// Why it was retired or killed; empty if it was not asked to end.
  [[nodiscard]] const std::string& leaving() const { return leaving_; }
  [[nodiscard]] bool killed() const { return killed_; }
  /// How its end, or the task that has just finished, is reported to the operator.
  [[nodiscard]] PoolNotice::What ending() const { return ending_; }
  /// Whether the program that has just finished wrote more than is kept.
  [[nodiscard]] bool take_flooded() { return std::exchange(flooded_, false); }
  /// Free memory of the device in bytes, if just reported.
  [[nodiscard]] std::optional<std::int64_t> take_device_free() { return std::exchange(device_free_, std::nullopt); }
  /// Whether the canary that has just finished gave the right result.
  [[nodiscard]] std::optional<bool> take_canary() { return std::exchange(canary_, std::nullopt); }
  /// The group now has another torch, Python or machine: ends the worker and its task.
  void abandon(std::string reason, TimePoint now);
  /// Its verdicts are not to be trusted: ends the worker; another one takes over its current task.
  void distrust(std::string reason, TimePoint now);
  [[nodiscard]] const std::optional<Hello>& hello() const { return hello_; }
  [[nodiscard]] bool has_job() const { return job_at_hand() != nullptr; }
  [[nodiscard]] bool asked_environment() const { return task_ && std::holds_alternative<EnvironmentJob>(task_->work); }
  /// How it failed before it was primed; otherwise empty.
  [[nodiscard]] const std::string& start_failure() const { return start_failure_; }
  /// It ended without being asked, and without a task.
  [[nodiscard]] bool died_idle() const { return died_idle_; }

  /// The worker must be idle.
  void assign(Task task, TimePoint now);
  void retire(std::string reason, TimePoint now);
  /// Asks a worker behind a prefix to end, and returns at once. First closes its channel; the second time, or if it is
  /// not ready yet and perhaps still waits for its place, also sends SIGTERM to the prefix.
  void ask_to_end();
  /// Whether it has ended. Reads its remaining output, so that a full pipe does not hold it up.
  [[nodiscard]] bool has_ended();
  /// Adds the time since the last call to the worker's present occupation.
  void account(TimePoint now);

  void append_interests(std::vector<Interest>& interests) const;
  [[nodiscard]] std::uint64_t owner() const { return process_.owner(); }
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  void poll(TimePoint now);
  [[nodiscard]] std::optional<Finished> take_finished();

 private:
  struct ChildEnd {
    ExitState how;
    TimePoint words_by;  // until when its last output is awaited
  };

  void handle(const FromWorker& message, TimePoint now);
  void on(const Hello& hello, TimePoint now);
  void on(const Primed& primed, TimePoint now);
  void on(const Beat& beat, TimePoint now);
  void on(const StepStarted& step, TimePoint now);
  void on(const RunResult& result, TimePoint now);
  void on(const InspectResult& inspected, TimePoint now);
  void on(const ScreenResult& screened, TimePoint now);
  void on(const ChildEnded& ended, TimePoint now);
  void on(const EnvironmentResult& environment, TimePoint now);
  void on(const CheckResult& checked, TimePoint now);
  void on(const WorkerError& error, TimePoint now);

  /// The job of its current task; null if it has no task, or one that is not a job.
  [[nodiscard]] const Job* job_at_hand() const { return task_ ? std::get_if<Job>(&task_->work) : nullptr; }
  [[nodiscard]] bool answers(const char* type, JobId id, bool fits, TimePoint now);
  [[nodiscard]] ToWorker message_for(const Task& task);
  [[nodiscard]] std::optional<Occupation> occupation() const;
  [[nodiscard]] std::chrono::milliseconds step_limit() const;
  [[nodiscard]] TimePoint state_deadline() const;  // when its present state has lasted too long
  [[nodiscard]] JobResult died(ExitState how) const;
  [[nodiscard]] bool has_last_words() const;
  [[nodiscard]] bool was_lost() const;
  [[nodiscard]] bool left_processes() const;
  [[nodiscard]] bool mounts_header() const;
  void take_child_end(TimePoint now);
  void finish_environment(TimePoint now);
  void note_step(TimePoint now);
  void note_health(const Health& health);
  void judge_canary(const RunResult& result, TimePoint now);
  void finish(JobResult result, TimePoint now);
  void collect(const Job& job, JobResult& result);
  void settle(std::string why);
  void misbehaved(std::string reason, TimePoint now, PoolNotice::What what = PoolNotice::What::garbled);
  void kill(PoolNotice::What what, std::string reason, TimePoint now);
  void check_deadlines(TimePoint now);
  void check_end(TimePoint now);
  void ended(ExitState how, TimePoint now);

  Home home_;
  const GroupConfig& config_;
  Role role_;
  int number_;
  std::filesystem::path scratch_;
  Process process_;
  ProcessRecord record_;
  State state_ = State::starting;
  TimePoint since_;  // start of the process, the step, or the end
  TimePoint accounted_;
  TimePoint last_heard_;
  TimePoint assigned_at_{};
  TimePoint look_again_ = TimePoint::max();  // while it ends: no descriptor announces the end itself
  std::optional<TimePoint> closed_since_;
  std::optional<Hello> hello_;
  std::optional<Task> task_;
  std::optional<StepStarted> step_;
  Memory memory_;  // as it was after priming
  std::optional<EnvironmentResult> told_environment_;
  std::optional<JobResult> answered_;  // a fresh child's result, until its parent reports its end
  std::optional<ChildEnd> child_end_;  // reported, but not handled yet
  JobId fresh_before_ = -1;            // the child before the current one
  bool child_ended_ = false;           // and processes it left are being killed
  std::optional<Finished> finished_;
  std::string failure_;  // of the harness, during the current task
  std::string start_failure_;
  std::vector<pid_t> own_processes_;    // below the launcher, once primed
  std::vector<std::int64_t> history_;   // subjects it has run
  std::size_t forms_told_ = 0;          // how many of the group's known forms it was sent
  std::vector<std::int64_t> on_trust_;  // subjects in history_ judged since the last check of its whole state
  std::vector<Settled> settled_;
  TimePoint idle_since_{};
  std::optional<Health> first_health_;
  int canary_at_ = 0;  // programs it had run when the canary last passed
  std::string worn_;
  std::string leaving_;
  PoolNotice::What ending_ = PoolNotice::What::retired;
  bool flooded_ = false;
  std::optional<bool> canary_;
  std::optional<std::int64_t> device_free_;
  bool hung_ = false;
  bool asked_ = false;        // asked to end by closing its channel
  bool terminated_ = false;   // and by SIGTERM
  bool killed_ = false;       // ended by the pool
  bool tree_killed_ = false;  // and not only asked to end
  bool died_idle_ = false;
};

}  // namespace parityd::executor
