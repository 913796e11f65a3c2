// One worker as the pool sees it: a process, where it stands, the task it has and the deadlines that hold for it.
// One thread (the loop's).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "executor/pool.h"
#include "executor/process.h"

namespace parityd::executor {

enum class Role { warm, fork_parent };

struct EnvironmentJob {};

struct Task {
  std::variant<Job, SameJob, EnvironmentJob> work;
  int attempts = 0;  // that a harness failure ended

  [[nodiscard]] JobId id() const;
  [[nodiscard]] bool is_fresh() const;  // belongs to a fork parent
};

struct Finished {
  Task task;
  JobResult result;
  std::string environment;  // EnvironmentJob only
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

  /// Throws std::system_error when the launcher cannot be started.
  WorkerProcess(const PoolConfig& config, Role role, int number, TimePoint now);

  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool ready() const { return state_ == State::idle || state_ == State::busy; }
  [[nodiscard]] bool starting() const { return state_ == State::starting || state_ == State::priming; }
  [[nodiscard]] int programs() const { return programs_; }
  [[nodiscard]] bool worn() const { return role_ == Role::warm && programs_ >= config_.programs_per_worker; }
  [[nodiscard]] bool killed() const { return killed_; }
  [[nodiscard]] const std::optional<Hello>& hello() const { return hello_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }
  [[nodiscard]] bool has_job() const { return task_ && !asked_environment(); }
  [[nodiscard]] bool asked_environment() const { return task_ && std::holds_alternative<EnvironmentJob>(task_->work); }
  /// How it failed before it was primed; empty otherwise.
  [[nodiscard]] const std::string& start_failure() const { return start_failure_; }
  /// It ended although nobody asked it to and it had no task.
  [[nodiscard]] bool died_idle() const { return died_idle_; }

  /// For an idle worker.
  void assign(Task task, TimePoint now);
  void retire(TimePoint now);

  void append_interests(std::vector<Interest>& interests) const;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  void service(TimePoint now);
  [[nodiscard]] std::optional<Finished> take_finished();

 private:
  void handle(const FromWorker& message, TimePoint now);
  void on(const Hello& hello, TimePoint now);
  void on(const Primed& primed, TimePoint now);
  void on(const Beat& beat, TimePoint now);
  void on(const StepStarted& step, TimePoint now);
  void on(const RunResult& result, TimePoint now);
  void on(const ChildEnded& ended, TimePoint now);
  void on(const SameResult& same, TimePoint now);
  void on(const EnvironmentResult& environment, TimePoint now);
  void on(const WorkerError& error, TimePoint now);

  [[nodiscard]] bool answers(const char* type, JobId id, bool fits, TimePoint now);
  [[nodiscard]] std::chrono::milliseconds step_limit() const;
  [[nodiscard]] TimePoint state_deadline() const;  // when the state it is in has lasted too long
  [[nodiscard]] Death death() const;
  [[nodiscard]] bool left_processes() const;
  void finish(JobResult result, TimePoint now);
  void misbehaved(std::string reason, TimePoint now);
  void kill(TimePoint now);
  void check_deadlines(TimePoint now);
  void check_end(TimePoint now);
  void ended(ExitState how, TimePoint now);

  const PoolConfig& config_;
  Role role_;
  std::filesystem::path scratch_;
  Process process_;
  State state_ = State::starting;
  TimePoint since_;  // of the start, the step, or the end
  TimePoint last_heard_;
  TimePoint assigned_at_{};
  TimePoint look_again_ = TimePoint::max();  // while it ends: no descriptor tells of the end itself
  std::optional<TimePoint> closed_since_;
  std::optional<Hello> hello_;
  std::optional<Task> task_;
  std::optional<StepStarted> step_;
  std::optional<Finished> finished_;
  std::string failure_;  // the harness's, of the task at hand
  std::string start_failure_;
  std::size_t own_processes_ = 0;  // below the launcher, once primed
  int programs_ = 0;
  bool hung_ = false;
  bool killed_ = false;
  bool died_idle_ = false;
};

}  // namespace parityd::executor
