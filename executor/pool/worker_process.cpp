#include "executor/pool/worker_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "executor/pool/canary.h"
#include "executor/pool/worker_folders.h"
#include "executor/process/crash_report.h"

namespace parityd::executor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReapEvery{5};           // its pipes are closed, but the process is not quite gone
constexpr milliseconds kClosedButAlive{2'000};  // then it is killed

/// A minifier stops searching after this time, well before the tool's deadline.
constexpr int kToolSeconds = 120;

/// A check of the whole state takes a tenth of a second: done after this many programs, or once nothing waits for the
/// worker.
constexpr std::size_t kProgramsBetweenChecks = 8;
constexpr milliseconds kQuietBeforeCheck{100};

constexpr std::string_view kOutputDropped = "bytes of output dropped]";  // as the launcher writes it

/// What a fork parent writes after everything its child wrote (docs/protocol.md).
std::string end_mark(JobId id) { return fmt::format("[parityd: job {} has ended]\n", id); }

std::string described(ExitState how) {
  return how.signal != 0 ? fmt::format("ended by signal {}", how.signal)
                         : fmt::format("ended with status {}", how.status);
}

JobResult failed(std::string why) {
  JobResult result;
  result.harness_failure = std::move(why);
  return result;
}

}  // namespace

WorkerProcess::WorkerProcess(Home home, Role role, int number, TimePoint now)
    : home_(home),
      config_(home.config),
      role_(role),
      number_(number),
      scratch_(config_.scratch / fmt::format("w{}", number)),
      process_(launch_options(config_, scratch_, role)),
      record_(config_.records, process_.pid()),
      since_(now),
      accounted_(now),
      last_heard_(now) {}

WorkerProcess::~WorkerProcess() {
  if (!process_.exit_state()) process_.kill_tree();
  std::error_code ignored;
  std::filesystem::remove_all(scratch_, ignored);
}

ToWorker WorkerProcess::message_for(const Task& task) {
  if (std::holds_alternative<CanaryJob>(task.work)) {
    return RunMessage{.program = canary_program(),
                      .file = scratch_ / "canary.py",
                      .modes = {oracle::Mode::eager, oracle::Mode::inductor},
                      .device = config_.device};
  }
  if (std::holds_alternative<CheckJob>(task.work)) return CheckMessage{};
  const Job* const job = task.job();
  if (job == nullptr) return EnvironmentMessage{};
  const auto folder = task.is_fresh() ? job_folder(scratch_, job->id) : scratch_;
  if (task.is_tool()) {
    const auto file = std::filesystem::path(job->file_name).filename();
    return InspectMessage{.id = job->id,
                          .program = job->program,
                          .file = folder / (file.empty() ? fmt::format("p{}.py", job->id) : file.string()),
                          .tool = job->tool,
                          .place = job->place,
                          .arguments = job->arguments,
                          .device = config_.device,
                          .seed = job->seed,
                          .seconds = kToolSeconds,
                          .output = folder / "artefacts" / kToolText};
  }
  if (job->screening) {
    return ScreenMessage{.id = job->id,
                         .programs = job->screening->programs,
                         .compose = job->screening->compose,
                         .file = folder / "screened.py",
                         .seed = job->seed,
                         .composing = job->screening->composing};
  }
  std::vector<std::uint64_t> news;
  if (!job->fresh) {
    news = home_.known_forms.after(forms_told_);
    forms_told_ += news.size();
  }
  return RunMessage{.id = job->id,
                    .program = job->program,
                    .file = folder / fmt::format("p{}.py", job->id),
                    .modes = job->modes,
                    .choose_compiled = job->choose_compiled,
                    .device = config_.device,
                    .seed = job->seed,
                    .fresh = job->fresh,
                    .artefacts = job->artefacts.empty() ? std::filesystem::path{} : folder / "artefacts",
                    .neutralisers = job->neutralisers,
                    .values = job->values,
                    .compile_from = job->compile_from,
                    .known_forms = std::move(news)};
}

void WorkerProcess::assign(Task task, TimePoint now) {
  account(now);
  task_ = std::move(task);
  step_.reset();
  failure_.clear();
  hung_ = child_ended_ = false;
  child_end_.reset();
  state_ = State::busy;
  since_ = assigned_at_ = now;
  process_.poll();  // earlier output does not belong to this task (except what is still on its way)
  process_.forget_errors();
  try {
    if (role_ == Role::fork_parent) process_.write(encode(ForkMessage{.id = task_->id()}));
    process_.write(encode(message_for(*task_)));
  } catch (const std::exception& failure) {
    finish(failed(failure.what()), now);
  }
}

void WorkerProcess::retire(std::string reason, TimePoint now) {
  account(now);
  process_.write(encode(ShutdownMessage{}));
  process_.close_input();
  asked_ = true;
  leaving_ = std::move(reason);
  state_ = State::ending;
  since_ = now;
}

bool WorkerProcess::canary_due() const {
  return config_.canary_every > 0 && static_cast<int>(programs()) - canary_at_ >= config_.canary_every;
}

std::optional<TimePoint> WorkerProcess::check_due() const {
  if (on_trust_.empty()) return std::nullopt;
  return on_trust_.size() >= kProgramsBetweenChecks ? idle_since_ : idle_since_ + kQuietBeforeCheck;
}

std::optional<Occupation> WorkerProcess::occupation() const {
  if (state_ == State::starting) return Occupation::import;
  if (state_ == State::priming) return Occupation::prime;
  if (state_ != State::busy || asked_environment()) {
    return std::nullopt;  // the group accounts for idle places
  }
  if (task_->is_fresh()) return task_->is_screening() ? Occupation::screen : Occupation::confirmation;
  if (std::holds_alternative<CanaryJob>(task_->work)) return Occupation::canary;
  if (std::holds_alternative<CheckJob>(task_->work)) return Occupation::reset;
  if (!step_) return Occupation::eager;
  if (step_->step == oracle::Step::compare || step_->step == oracle::Step::reset) {
    return step_->step == oracle::Step::compare ? Occupation::compare : Occupation::reset;
  }
  return oracle::is_eager(step_->mode) ? Occupation::eager : Occupation::compile;
}

void WorkerProcess::account(TimePoint now) {
  if (const auto what = occupation()) home_.seconds[*what] += std::chrono::duration<double>(now - accounted_).count();
  accounted_ = now;
}

void WorkerProcess::append_interests(std::vector<Interest>& interests) const {
  if (state_ != State::gone) process_.append_interests(interests);
}

void WorkerProcess::poll(TimePoint now) {
  if (state_ == State::gone) return;
  account(now);
  process_.poll();
  while (state_ != State::ending) {
    const auto line = process_.take_line();
    if (!line) break;
    if (const auto message = decode(*line)) {
      last_heard_ = now;
      handle(*message, now);
    } else {
      misbehaved("the worker sent an invalid message: " + message.error(), now);
    }
  }
  if (state_ != State::ending && process_.overflowed()) misbehaved("the worker sent a line of more than 8 MiB", now);
  take_child_end(now);
  check_deadlines(now);
  check_end(now);
}

bool WorkerProcess::has_last_words() const {
  return process_.captured_errors().find(end_mark(task_->id())) != std::string::npos;
}

JobResult WorkerProcess::died(ExitState how) const {
  const auto& job = *job_at_hand();
  Death death;
  if (step_) {
    death.mode = step_->mode;
    death.step = step_->step;
  } else if (!job.modes.empty()) {
    death.mode = job.modes.front();
  }
  death.hung = hung_;
  death.signal = how.signal;
  death.exit_status = how.status;
  death.output = process_.captured_errors();
  if (const auto end = death.output.rfind(end_mark(job.id)); end != std::string::npos) death.output.erase(end);
  const std::string before = end_mark(fresh_before_);  // late output of the previous child
  if (const auto end = death.output.find(before); end != std::string::npos) death.output.erase(0, end + before.size());
  JobResult result;
  const auto crash = read_crash_report(death.output);
  if (crash && !death.hung && is_of_harness(*crash)) {
    result =
        failed(fmt::format("the worker's own module was killed by signal {} in {} (mode {}, step {})", death.signal,
                           innermost_frame(*crash), oracle::name(death.mode), oracle::name(death.step)));
  } else {
    result.death = std::move(death);
  }
  result.history = history_;
  return result;
}

bool WorkerProcess::mounts_header() const {
  const auto& layers = hello_->sandbox.layers;
  return std::ranges::any_of(layers, [](const auto& layer) { return layer.name == "mount" && layer.on; });
}

void WorkerProcess::finish(JobResult result, TimePoint now) {
  account(now);
  result.id = task_->id();
  result.worker = number_;
  result.seconds = std::chrono::duration<double>(now - assigned_at_).count();
  const auto* job = job_at_hand();
  flooded_ = job != nullptr && process_.captured_errors().find(kOutputDropped) != std::string::npos;
  result.history = result.history.empty() && !task_->is_fresh() ? history_ : result.history;
  if (job != nullptr && task_->is_fresh()) {
    collect(*job, result);
  } else if (job != nullptr) {
    history_.push_back(job->subject);
    const bool counts = result.harness_failure.empty() && !result.death && result.tainted.empty();
    if (job->judged && counts) on_trust_.push_back(job->subject);
  }
  if (role_ == Role::fork_parent) {
    fresh_before_ = task_->id();
    clean_up(scratch_, {.cache = config_.shared_cache, .mounted = mounts_header()});
  }
  finished_ = Finished{.task = std::move(*task_), .result = std::move(result), .environment = {}};
  task_.reset();
  answered_.reset();
  told_environment_.reset();
  if (state_ == State::busy) {
    state_ = State::idle;
    idle_since_ = now;
  }
}

void WorkerProcess::settle(std::string why) {
  if (!on_trust_.empty()) settled_.push_back({.subjects = std::exchange(on_trust_, {}), .why = std::move(why)});
}

void WorkerProcess::collect(const Job& job, JobResult& result) {
  if (!job.tool.empty() && result.text.empty()) result.text = taken_text(scratch_, job.id);
  if (job.artefacts.empty() || !result.harness_failure.empty()) return;
  try {
    take_artefacts(scratch_, job.id, job.artefacts, job.modes);
  } catch (const std::exception& failure) {
    result.harness_failure = failure.what();
  }
}

void WorkerProcess::misbehaved(std::string reason, TimePoint now, PoolNotice::What what) {
  if (starting()) {
    start_failure_ = reason;
  } else if (task_) {
    failure_ = reason;
  } else {
    died_idle_ = true;
  }
  kill(what, std::move(reason), now);
}

void WorkerProcess::abandon(std::string reason, TimePoint now) {
  failure_ = reason;
  kill(PoolNotice::What::retired, std::move(reason), now);
}

void WorkerProcess::distrust(std::string reason, TimePoint now) {
  failure_ = reason;
  kill(PoolNotice::What::tainted, std::move(reason), now);
}

/// The worker elsewhere sees the end of its channel and ends, and its prefix after it: then nothing writes to its
/// folder any more. ssh would end first if sent SIGTERM.
void WorkerProcess::ask_to_end() {
  if (asked_ || starting()) {
    process_.ask_to_end();
    terminated_ = true;
  } else {
    process_.close_input();
  }
  asked_ = true;
}

/// A worker elsewhere is ended through its launch prefix: if killed, the prefix would leave it behind. A prefix that
/// has not ended after two requests is killed the third time.
void WorkerProcess::kill(PoolNotice::What what, std::string reason, TimePoint now) {
  account(now);
  if (config_.launch_prefix.empty() || terminated_) {
    process_.kill_tree();
    tree_killed_ = true;
  } else {
    ask_to_end();
  }
  killed_ = true;
  ending_ = leaving_.empty() ? what : ending_;
  leaving_ = leaving_.empty() ? std::move(reason) : leaving_;
  state_ = State::ending;
  since_ = now;
}

void WorkerProcess::check_end(TimePoint now) {
  if (!process_.output_closed() && state_ != State::ending) return;
  if (const auto how = process_.exit_state()) {
    process_.poll();
    return ended(*how, now);
  }
  look_again_ = now + kReapEvery;
  if (!process_.output_closed() || tree_killed_) return;
  closed_since_ = closed_since_.value_or(now);
  if (now >= *closed_since_ + kClosedButAlive) {
    process_.kill_tree();
    killed_ = tree_killed_ = true;
  }
}

/// Whether a fork parent elsewhere has ended on its own. Its children do the work and it reports their ends, so this is
/// the end of its machine, its step or its connection, and says nothing about the program.
bool WorkerProcess::was_lost() const { return task_->is_fresh() && !hung_ && !config_.launch_prefix.empty(); }

bool WorkerProcess::has_ended() {
  process_.poll();
  return process_.exit_state().has_value();
}

void WorkerProcess::ended(ExitState how, TimePoint now) {
  if (starting() || !start_failure_.empty()) {
    const std::string reason = start_failure_.empty() ? described(how) : start_failure_;
    start_failure_ = fmt::format("the worker did not start: {}\n{}", reason, process_.captured_errors());
  } else if (state_ == State::idle || state_ == State::busy) {
    died_idle_ = state_ == State::idle;
    ending_ = PoolNotice::What::died;
    leaving_ = "it " + described(how);
  }
  if (task_) {
    if (child_ended_) {
      finish(std::move(*answered_), now);
    } else if (failure_.empty() && job_at_hand() != nullptr && !was_lost()) {
      finish(died(child_end_ ? child_end_->how : how), now);
    } else {
      finish(failed(failure_.empty() ? "the worker " + described(how) : failure_), now);
    }
  }
  settle(leaving_.empty() ? "the worker " + described(how) : leaving_);
  state_ = State::gone;
}

std::optional<Finished> WorkerProcess::take_finished() { return std::exchange(finished_, std::nullopt); }

}  // namespace parityd::executor
