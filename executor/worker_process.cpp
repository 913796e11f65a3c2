#include "executor/worker_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "executor/process_tree.h"
#include "executor/worker_launch.h"

namespace parityd::executor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReapEvery{5};           // its pipes are closed, but the process is not quite gone
constexpr milliseconds kClosedButAlive{2'000};  // then it is killed
constexpr milliseconds kRetireGrace{5'000};     // from a shutdown message to SIGKILL

template <class Work>
const Work* work_of(const std::optional<Task>& task) {
  return task ? std::get_if<Work>(&task->work) : nullptr;
}

std::string described(ExitState how) {
  return how.signal != 0 ? fmt::format("ended by signal {}", how.signal)
                         : fmt::format("ended with status {}", how.status);
}

TimePoint after(TimePoint from, milliseconds limit) { return limit.count() == 0 ? TimePoint::max() : from + limit; }

}  // namespace

JobId Task::id() const {
  if (const auto* job = std::get_if<Job>(&work)) {
    return job->id;
  }
  const auto* same = std::get_if<SameJob>(&work);
  return same != nullptr ? same->id : 0;
}

bool Task::is_fresh() const {
  const auto* job = std::get_if<Job>(&work);
  return job != nullptr ? job->fresh : std::holds_alternative<SameJob>(work);
}

WorkerProcess::WorkerProcess(const PoolConfig& config, Role role, int number, TimePoint now)
    : config_(config),
      role_(role),
      scratch_(config.scratch / fmt::format("w{}", number)),
      process_(launch_options(config, scratch_)),
      since_(now),
      last_heard_(now) {}

void WorkerProcess::assign(Task task, TimePoint now) {
  ToWorker message = EnvironmentMessage{};
  if (const auto* job = std::get_if<Job>(&task.work)) {
    message = RunMessage{.id = job->id,
                         .program = job->program,
                         .file = scratch_ / fmt::format("p{}.py", job->id),
                         .modes = job->modes,
                         .choose_compiled = job->choose_compiled,
                         .device = config_.device,
                         .seed = job->seed,
                         .fresh = job->fresh,
                         .artefacts = job->artefacts};
  } else if (const auto* same = std::get_if<SameJob>(&task.work)) {
    message =
        SameMessage{.id = same->id, .expected = same->expected, .actual = same->actual, .reference = same->reference};
  }
  process_.service();  // what was said before this task is not part of its output (but for what is still on its way)
  process_.forget_errors();
  process_.write(encode(message));
  task_ = std::move(task);
  step_.reset();
  failure_.clear();
  hung_ = false;
  state_ = State::busy;
  since_ = assigned_at_ = now;
}

void WorkerProcess::retire(TimePoint now) {
  process_.write(encode(ShutdownMessage{}));
  process_.close_input();
  state_ = State::ending;
  since_ = now;
}

void WorkerProcess::append_interests(std::vector<Interest>& interests) const {
  if (state_ != State::gone) {
    process_.append_interests(interests);
  }
}

milliseconds WorkerProcess::step_limit() const {
  if (work_of<Job>(task_) == nullptr) {
    return config_.deadlines.compile;  // torch's own tools: no program, but seconds of imports and large files
  }
  using oracle::Step;
  const bool compiles = step_ && !oracle::is_eager(step_->mode) &&
                        (step_->step == Step::compile || step_->step == Step::forward || step_->step == Step::backward);
  return compiles ? config_.deadlines.compile : config_.deadlines.program;
}

TimePoint WorkerProcess::state_deadline() const {
  TimePoint deadline = TimePoint::max();
  if (starting()) {
    deadline = after(since_, config_.deadlines.start);
  } else if (state_ == State::idle) {
    deadline = after(last_heard_, config_.deadlines.beat);
  } else if (state_ == State::busy) {
    deadline = std::min(after(since_, step_limit()), after(last_heard_, config_.deadlines.beat));
  } else if (state_ == State::ending) {
    deadline = since_ + kRetireGrace;
  }
  return deadline;
}

std::optional<TimePoint> WorkerProcess::next_deadline() const {
  const TimePoint deadline = std::min(state_deadline(), look_again_);
  return deadline == TimePoint::max() ? std::nullopt : std::optional(deadline);
}

void WorkerProcess::service(TimePoint now) {
  if (state_ == State::gone) {
    return;
  }
  process_.service();
  while (state_ != State::ending) {
    const auto line = process_.take_line();
    if (!line) {
      break;
    }
    if (const auto message = decode(*line)) {
      last_heard_ = now;
      handle(*message, now);
    } else {
      misbehaved("the worker sent what is no message: " + message.error(), now);
    }
  }
  if (state_ != State::ending && process_.overflowed()) {
    misbehaved("the worker sent a line of more than 8 MiB", now);
  }
  check_deadlines(now);
  check_end(now);
}

void WorkerProcess::handle(const FromWorker& message, TimePoint now) {
  std::visit([&](const auto& one) { on(one, now); }, message);
}

void WorkerProcess::on(const Hello& hello, TimePoint now) {
  if (state_ != State::starting) {
    return misbehaved("the worker said hello twice", now);
  }
  if (hello.protocol != kProtocolVersion) {
    return misbehaved(fmt::format("the worker speaks protocol {}, this daemon {}", hello.protocol, kProtocolVersion),
                      now);
  }
  hello_ = hello;
  state_ = State::priming;
  process_.write(encode(PrimeMessage{.device = config_.device, .fork_parent = role_ == Role::fork_parent}));
}

void WorkerProcess::on(const Primed& /*primed*/, TimePoint now) {
  if (state_ != State::priming) {
    return misbehaved("the worker was primed out of turn", now);
  }
  state_ = State::idle;
  own_processes_ = descendants(process_.pid()).size();
}

void WorkerProcess::on(const Beat& /*beat*/, TimePoint /*now*/) {}

bool WorkerProcess::answers(const char* type, JobId id, bool fits, TimePoint now) {
  if (state_ != State::busy || !fits) {
    misbehaved(fmt::format("the worker sent '{}', which nobody had asked for", type), now);
    return false;
  }
  if (id != task_->id()) {
    misbehaved(fmt::format("the worker sent '{}' of job {} while it had job {}", type, id, task_->id()), now);
    return false;
  }
  return true;
}

void WorkerProcess::on(const StepStarted& step, TimePoint now) {
  if (answers("step", step.id, work_of<Job>(task_) != nullptr, now)) {
    step_ = step;
    since_ = now;
  }
}

void WorkerProcess::on(const RunResult& result, TimePoint now) {
  if (!answers("result", result.id, work_of<Job>(task_) != nullptr, now)) {
    return;
  }
  JobResult done;
  done.evidence = result.evidence;
  done.tainted = result.tainted;
  if (done.tainted.empty() && left_processes()) {
    done.tainted = "the program left processes behind";
  }
  const bool replaced = !done.tainted.empty() && role_ == Role::warm;
  finish(std::move(done), now);
  if (replaced) {
    kill(now);
  }
}

/// Nothing the worker says: a daemonised process is no child of Python's any more. A prefix hides the tree from us.
bool WorkerProcess::left_processes() const {
  return role_ == Role::warm && config_.launch_prefix.empty() && descendants(process_.pid()).size() > own_processes_;
}

void WorkerProcess::on(const ChildEnded& ended, TimePoint now) {
  if (!answers("ended", ended.id, task_ && task_->is_fresh(), now)) {
    return;
  }
  JobResult done;
  if (work_of<Job>(task_) != nullptr) {
    process_.service();  // its last words
    done.death = death();
    done.death->signal = ended.signal;
    done.death->exit_status = ended.status;
  } else {
    done.harness_failure =
        "the process that compared artefacts " + described({.status = ended.status, .signal = ended.signal});
  }
  finish(std::move(done), now);
}

void WorkerProcess::on(const SameResult& same, TimePoint now) {
  if (answers("same", same.id, work_of<SameJob>(task_) != nullptr, now)) {
    JobResult done;
    done.same = same.same;
    done.same_detail = same.detail;
    finish(std::move(done), now);
  }
}

void WorkerProcess::on(const EnvironmentResult& environment, TimePoint now) {
  if (answers("environment", environment.id, work_of<EnvironmentJob>(task_) != nullptr, now)) {
    finish({}, now);
    finished_->environment = environment.text;
  }
}

void WorkerProcess::on(const WorkerError& error, TimePoint now) {
  misbehaved("the worker failed: " + error.message, now);
}

Death WorkerProcess::death() const {
  const auto& job = *work_of<Job>(task_);
  Death death;
  if (step_) {
    death.mode = step_->mode;
    death.step = step_->step;
  } else if (!job.modes.empty()) {
    death.mode = job.modes.front();
  }
  death.hung = hung_;
  death.output = process_.captured_errors();
  return death;
}

void WorkerProcess::finish(JobResult result, TimePoint now) {
  result.id = task_->id();
  result.seconds = std::chrono::duration<double>(now - assigned_at_).count();
  if (const auto* job = work_of<Job>(task_); job != nullptr && !job->fresh) {
    ++programs_;
  }
  finished_ = Finished{.task = std::move(*task_), .result = std::move(result), .environment = {}};
  task_.reset();
  if (state_ == State::busy) {
    state_ = State::idle;
  }
}

void WorkerProcess::misbehaved(std::string reason, TimePoint now) {
  if (starting()) {
    start_failure_ = std::move(reason);
  } else if (task_) {
    failure_ = std::move(reason);
  } else {
    died_idle_ = true;
  }
  kill(now);
}

void WorkerProcess::kill(TimePoint now) {
  process_.kill_tree();
  killed_ = true;
  state_ = State::ending;
  since_ = now;
}

void WorkerProcess::check_deadlines(TimePoint now) {
  if (state_ == State::gone || process_.output_closed()) {
    return;  // check_end waits for the end that has begun
  }
  if (now < state_deadline()) {
    return;
  }
  if (state_ == State::ending) {
    return kill(now);
  }
  if (state_ != State::busy) {
    return misbehaved(starting() ? "it was not ready in time" : "its heart stopped", now);
  }
  if (process_.inside_line()) {
    return misbehaved("the worker stopped in the middle of a message", now);
  }
  if (work_of<Job>(task_) == nullptr) {
    return misbehaved("one of torch's own tools hung", now);
  }
  hung_ = true;
  kill(now);
}

void WorkerProcess::check_end(TimePoint now) {
  if (!process_.output_closed() && state_ != State::ending) {
    return;
  }
  if (const auto how = process_.exit_state()) {
    process_.service();
    return ended(*how, now);
  }
  look_again_ = now + kReapEvery;
  if (!process_.output_closed() || killed_) {
    return;
  }
  closed_since_ = closed_since_.value_or(now);
  if (now >= *closed_since_ + kClosedButAlive) {
    process_.kill_tree();
    killed_ = true;
  }
}

void WorkerProcess::ended(ExitState how, TimePoint now) {
  if (starting() || !start_failure_.empty()) {
    const std::string reason = start_failure_.empty() ? described(how) : start_failure_;
    start_failure_ = fmt::format("the worker did not start: {}\n{}", reason, process_.captured_errors());
  } else if (state_ == State::idle) {
    died_idle_ = true;
  }
  if (task_) {
    JobResult result;
    if (failure_.empty() && work_of<Job>(task_) != nullptr) {
      result.death = death();
      result.death->signal = how.signal;
      result.death->exit_status = how.status;
    } else {
      result.harness_failure = failure_.empty() ? "the worker " + described(how) : failure_;
    }
    finish(std::move(result), now);
  }
  state_ = State::gone;
}

std::optional<Finished> WorkerProcess::take_finished() { return std::exchange(finished_, std::nullopt); }

}  // namespace parityd::executor
