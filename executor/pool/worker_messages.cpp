// Handles the messages of a worker: each must come when it is due, or the worker misbehaves.
#include <fmt/format.h>

#include "executor/pool/canary.h"
#include "executor/pool/devices.h"
#include "executor/pool/worker_process.h"
#include "executor/process/process_tree.h"

namespace parityd::executor {
namespace {

using std::chrono::milliseconds;

/// Whether the worker is expected to send steps and a run's result.
bool runs_program(const std::optional<Task>& task) {
  return task && (std::holds_alternative<Job>(task->work) || std::holds_alternative<CanaryJob>(task->work));
}

PoolNotice::What ending_of(const std::string& tainted) {
  switch (device_fault(tainted)) {
    case DeviceFault::none:
      return PoolNotice::What::tainted;
    case DeviceFault::memory:
      return PoolNotice::What::device_memory;
    default:
      return PoolNotice::What::device_error;
  }
}

constexpr std::chrono::seconds kLastWords{1};  // for them to arrive, on a machine that may be busy

}  // namespace

void WorkerProcess::handle(const FromWorker& message, TimePoint now) {
  std::visit([&](const auto& one) { on(one, now); }, message);
}

void WorkerProcess::on(const Hello& hello, TimePoint now) {
  if (state_ != State::starting) return misbehaved("the worker said hello twice", now);
  if (hello.protocol != kProtocolVersion) {
    return misbehaved(fmt::format("the worker speaks protocol {}, this daemon {}", hello.protocol, kProtocolVersion),
                      now);
  }
  hello_ = hello;
  state_ = State::priming;
  process_.write(encode(PrimeMessage{.device = config_.device, .fork_parent = role_ == Role::fork_parent}));
}

void WorkerProcess::on(const Primed& primed, TimePoint now) {
  if (state_ != State::priming) return misbehaved("the worker was primed at the wrong time", now);
  if (!primed.memory.changed.empty()) {
    return misbehaved("the fork parent's memory changes on its own, at " + primed.memory.changed, now);
  }
  state_ = State::idle;
  memory_ = primed.memory;
  device_free_ = primed.gpu_free_bytes;
  own_processes_ = living_descendants(process_.pid());
  if (role_ == Role::cache_builder) retire({}, now);
}

void WorkerProcess::on(const Beat& /*beat*/, TimePoint /*now*/) {}

bool WorkerProcess::answers(const char* type, JobId id, bool fits, TimePoint now) {
  if (state_ != State::busy || !fits || child_end_) {  // a child that has ended says nothing more
    misbehaved(fmt::format("the worker sent '{}', which was not requested", type), now);
    return false;
  }
  if (id != task_->id()) {
    misbehaved(fmt::format("the worker sent '{}' of job {} while it had job {}", type, id, task_->id()), now);
    return false;
  }
  return true;
}

void WorkerProcess::on(const StepStarted& step, TimePoint now) {
  if (answers("step", step.id, runs_program(task_), now)) {
    account(now);
    note_step(now);
    step_ = step;
    since_ = task_->is_tool() ? since_ : now;  // a tool has one deadline for everything it does
  }
}

/// Records how long the step that ends now took. Excluded are fresh processes, which compile without any cache, and
/// runs that need not compile every graph and mostly compile none: other populations.
void WorkerProcess::note_step(TimePoint now) {
  const Job* const job = job_at_hand();
  if (step_ && job != nullptr && !task_->is_fresh() && job->compile_from == 0) {
    home_.limits.took(step_->mode, step_->step, std::chrono::duration_cast<milliseconds>(now - since_));
  }
}

void WorkerProcess::on(const RunResult& result, TimePoint now) {
  if (!answers("result", result.id, runs_program(task_) && !task_->is_tool() && !task_->is_screening() && !answered_,
               now)) {
    return;
  }
  account(now);
  note_step(now);
  if (task_->is_fresh()) {  // its parent reports when nothing of it is left
    answered_ = JobResult{.evidence = result.evidence, .tainted = result.tainted};
    step_.reset();
    since_ = now;
    return;
  }
  if (std::holds_alternative<CanaryJob>(task_->work)) return judge_canary(result, now);
  JobResult done;
  done.evidence = result.evidence;
  done.tainted = result.tainted;
  done.values = result.values;
  done.history = history_;
  if (done.tainted.empty() && left_processes()) {
    done.tainted = "the program left processes behind";
    ending_ = PoolNotice::What::left_processes;
  }
  const std::string tainted = done.tainted;
  const auto what = ending_ == PoolNotice::What::left_processes ? ending_ : ending_of(tainted);
  finish(std::move(done), now);
  if (tainted.empty()) {
    note_health(result.health);
  } else {
    kill(what, tainted, now);
  }
}

void WorkerProcess::on(const InspectResult& inspected, TimePoint now) {
  if (answers("inspected", inspected.id, task_ && task_->is_tool() && !answered_, now)) {
    answered_ = JobResult{};
    answered_->tool_failure = inspected.failure;
    answered_->text = inspected.text;
    step_.reset();
  }
}

void WorkerProcess::on(const ScreenResult& screened, TimePoint now) {
  if (answers("screened", screened.id, task_ && task_->is_screening() && !answered_, now)) {
    answered_ = JobResult{};
    answered_->screened = screened;
  }
}

void WorkerProcess::note_health(const Health& health) {
  if (!first_health_) first_health_ = health;
  device_free_ = health.gpu_free_bytes;
  const WearLimits& limits = config_.wear;
  const auto grown = [](std::int64_t bytes) {
    return fmt::format("{} MiB more than after its first program", bytes >> 20);
  };
  const std::int64_t resident = health.resident_bytes - first_health_->resident_bytes;
  const std::int64_t gpu = health.gpu_bytes - first_health_->gpu_bytes;
  if (resident > limits.resident_growth) {
    worn_ = "memory: " + grown(resident);
  } else if (gpu > limits.gpu_growth) {
    worn_ = "GPU memory: " + grown(gpu);
  } else if (health.maps > limits.maps) {
    worn_ = fmt::format("{} memory maps", health.maps);
  } else if (static_cast<int>(programs()) >= limits.programs) {
    worn_ = "it has run its maximum number of programs";
  }
}

void WorkerProcess::judge_canary(const RunResult& result, TimePoint now) {
  const std::string failure = result.tainted.empty() ? canary_failure(result.evidence).value_or("") : result.tainted;
  finish({}, now);
  canary_at_ = static_cast<int>(programs());
  canary_ = failure.empty();
  if (!failure.empty()) kill(PoolNotice::What::canary_failed, "the canary failed: " + failure, now);
}

/// Looks at the processes themselves, whatever the worker says: a daemonised process is no longer a child of Python's.
/// A prefix hides the tree from us.
bool WorkerProcess::left_processes() const {
  return config_.launch_prefix.empty() && living_descendants(process_.pid()).size() > own_processes_.size();
}

void WorkerProcess::on(const ChildEnded& ended, TimePoint now) {
  if (!answers("ended", ended.id, task_ && role_ == Role::fork_parent, now)) return;
  if (ended.memory != memory_) {  // nothing this child said counts, nor would anything that comes after it
    misbehaved("a child changed its fork parent's memory, at " + ended.memory.changed, now,
               PoolNotice::What::parent_touched);
  } else {
    child_end_ = {.how = {.status = ended.status, .signal = ended.signal}, .words_by = now + kLastWords};
  }
}

/// A child's last output comes through the launcher, a different way from the message about its end, and may arrive
/// later.
void WorkerProcess::take_child_end(TimePoint now) {
  if (!child_end_ || state_ != State::busy) return;
  if (asked_environment()) return finish_environment(now);
  if (!answered_) {
    if (!has_last_words() && now < child_end_->words_by) return;
    answered_ = died(child_end_->how);
  }
  child_end_.reset();
  // Processes it left running could reach the next child's files and the channel: then the parent is ended, too, and
  // the answer waits for the end of the whole tree.
  child_ended_ = left_processes();
  if (child_ended_) return kill(PoolNotice::What::left_processes, "a fresh process left processes behind", now);
  finish(std::move(*answered_), now);
}

void WorkerProcess::on(const EnvironmentResult& environment, TimePoint now) {
  if (answers("environment", environment.id, asked_environment(), now)) {
    told_environment_ = environment;
    if (role_ != Role::fork_parent) {  // otherwise its child ends first
      finish_environment(now);
    }
  }
}

void WorkerProcess::finish_environment(TimePoint now) {
  child_end_.reset();
  if (!told_environment_) return misbehaved("a child ended without reporting the environment", now);
  EnvironmentResult told = std::move(*told_environment_);
  finish({}, now);
  finished_->environment = std::move(told);
}

/// What the check finds may have been done by any of the last programs. Verdicts of a worker that ends without a check
/// do not count either: a program could make it end in time.
void WorkerProcess::on(const CheckResult& checked, TimePoint now) {
  if (!answers("checked", checked.id, task_ && std::holds_alternative<CheckJob>(task_->work), now)) return;
  finish({}, now);
  if (checked.changed.empty()) {
    settle("");
  } else {
    kill(PoolNotice::What::tainted, checked.changed, now);
  }
}

void WorkerProcess::on(const WorkerError& error, TimePoint now) {
  misbehaved("the worker failed: " + error.message, now);
}

}  // namespace parityd::executor
