// One worker as the pool sees it: a process, where it stands, the task it has and the deadlines that hold for it.
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
  int attempts = 0;               // that a harness failure ended
  std::vector<std::string> ends;  // how, each

  [[nodiscard]] const Job* job() const { return std::get_if<Job>(&work); }
  [[nodiscard]] JobId id() const { return job() != nullptr ? job()->id : 0; }
  /// Belongs to a fork parent.
  [[nodiscard]] bool is_fresh() const { return job() != nullptr && (job()->fresh || is_tool() || is_screening()); }
  /// One of PyTorch's debugging tools.
  [[nodiscard]] bool is_tool() const { return job() != nullptr && !job()->tool.empty(); }
  [[nodiscard]] bool is_screening() const { return job() != nullptr && job()->screening; }
};

struct Finished {
  Task task;
  JobResult result;
  EnvironmentResult environment;  // EnvironmentJob only
};

class WorkerProcess {
 public:
  enum class State {
    starting,  // no hello yet
    priming,   // no primed yet
    idle,
    busy,
    ending,  // asked to end or killed, and not yet reaped
    gone,
  };

  /// What all workers of a group share. References outlive the worker.
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
  /// Why it should be replaced once there is another; empty while it is good.
  [[nodiscard]] const std::string& worn() const { return worn_; }
  [[nodiscard]] bool canary_due() const;
  /// When its whole state is to be looked at; nothing: nobody relies on it. A program comes first where one waits.
  [[nodiscard]] std::optional<TimePoint> check_due() const;
  /// What became of its word on programs since last asked.
  [[nodiscard]] std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }
  /// Why it was retired or killed; empty when it was asked to end by nobody.
  [[nodiscard]] const std::string& leaving() const { return leaving_; }
  [[nodiscard]] bool killed() const { return killed_; }
  /// What its end, or the task that has just finished, is for whoever runs parityd.
  [[nodiscard]] PoolNotice::What ending() const { return ending_; }
  /// The program that has just finished wrote more than is kept.
  [[nodiscard]] bool take_flooded() { return std::exchange(flooded_, false); }
  /// What the device has left, if it has just said so; bytes.
  [[nodiscard]] std::optional<std::int64_t> take_device_free() { return std::exchange(device_free_, std::nullopt); }
  /// Whether the canary that has just finished was judged rightly.
  [[nodiscard]] std::optional<bool> take_canary() { return std::exchange(canary_, std::nullopt); }
  /// Another torch, Python or machine is beneath the group now: it is ended with what it does.
  void abandon(std::string reason, TimePoint now);
  /// Its word on programs is not to be relied on: it is ended; what it does at the moment is another's to do.
  void distrust(std::string reason, TimePoint now);
  [[nodiscard]] const std::optional<Hello>& hello() const { return hello_; }
  [[nodiscard]] bool has_job() const { return job_at_hand() != nullptr; }
  [[nodiscard]] bool asked_environment() const { return task_ && std::holds_alternative<EnvironmentJob>(task_->work); }
  /// How it failed before it was primed; empty otherwise.
  [[nodiscard]] const std::string& start_failure() const { return start_failure_; }
  /// It ended although nobody asked it to and it had no task.
  [[nodiscard]] bool died_idle() const { return died_idle_; }

  /// For an idle worker.
  void assign(Task task, TimePoint now);
  void retire(std::string reason, TimePoint now);
  /// Begins its end behind a prefix, and returns at once: by its channel; the second time, or where it is not ready yet
  /// and perhaps waits for its place, by SIGTERM to the prefix, too.
  void ask_to_end();
  /// Takes what it still says, so that this holds nothing up.
  [[nodiscard]] bool has_ended();
  /// Adds the time since it was last called to what the worker is doing.
  void account(TimePoint now);

  void append_interests(std::vector<Interest>& interests) const;
  [[nodiscard]] std::uint64_t owner() const { return process_.owner(); }
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  void service(TimePoint now);
  [[nodiscard]] std::optional<Finished> take_finished();

 private:
  struct ChildEnd {
    ExitState how;
    TimePoint words_by;  // what it said last is waited for until then
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

  /// Of the task at hand; null where it has none, or one that is no job.
  [[nodiscard]] const Job* job_at_hand() const { return task_ ? std::get_if<Job>(&task_->work) : nullptr; }
  [[nodiscard]] bool answers(const char* type, JobId id, bool fits, TimePoint now);
  [[nodiscard]] ToWorker message_for(const Task& task);
  [[nodiscard]] std::optional<Occupation> occupation() const;
  [[nodiscard]] std::chrono::milliseconds step_limit() const;
  [[nodiscard]] TimePoint state_deadline() const;  // when the state it is in has lasted too long
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
  TimePoint since_;  // of the start, the step, or the end
  TimePoint accounted_;
  TimePoint last_heard_;
  TimePoint assigned_at_{};
  TimePoint look_again_ = TimePoint::max();  // while it ends: no descriptor tells of the end itself
  std::optional<TimePoint> closed_since_;
  std::optional<Hello> hello_;
  std::optional<Task> task_;
  std::optional<StepStarted> step_;
  Memory memory_;  // as it was primed
  std::optional<EnvironmentResult> told_environment_;
  std::optional<JobResult> answered_;  // a fresh child's, until its parent says that it ended
  std::optional<ChildEnd> child_end_;  // told, and not taken yet
  JobId fresh_before_ = -1;            // the child before the one at hand
  bool child_ended_ = false;           // and what it left running is being killed
  std::optional<Finished> finished_;
  std::string failure_;  // the harness's, of the task at hand
  std::string start_failure_;
  std::vector<pid_t> own_processes_;    // below the launcher, once primed
  std::vector<std::int64_t> history_;   // subjects it ran
  std::size_t forms_told_ = 0;          // of the group's known forms
  std::vector<std::int64_t> on_trust_;  // of these, judged since its whole state was last looked at
  std::vector<Settled> settled_;
  TimePoint idle_since_{};
  std::optional<Health> first_health_;
  int canary_at_ = 0;  // programs it had run when the canary was last sound
  std::string worn_;
  std::string leaving_;
  PoolNotice::What ending_ = PoolNotice::What::retired;
  bool flooded_ = false;
  std::optional<bool> canary_;
  std::optional<std::int64_t> device_free_;
  bool hung_ = false;
  bool asked_ = false;        // to end, by its channel
  bool terminated_ = false;   // and by SIGTERM
  bool killed_ = false;       // ended by us
  bool tree_killed_ = false;  // and not only asked to end
  bool died_idle_ = false;
};

}  // namespace parityd::executor
