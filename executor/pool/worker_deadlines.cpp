#include "executor/pool/worker_deadlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "executor/pool/worker_process.h"
#include "executor/process/process_tree.h"

namespace parityd::executor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRetireGrace{5'000};  // from a shutdown message to SIGKILL

TimePoint after(TimePoint from, milliseconds limit) { return limit.count() == 0 ? TimePoint::max() : from + limit; }

}  // namespace

bool compiles(oracle::Mode mode, oracle::Step step) { return !oracle::is_eager(mode) && oracle::calls_model(step); }

void StepLimits::took(oracle::Mode mode, oracle::Step step, Duration time) {
  if (!compiles(mode, step)) return;
  auto& seen = seen_[{mode, step}];
  seen.times.push_back(time);
  if (seen.times.size() > kWindow) seen.times.pop_front();
  std::vector<Duration> times(seen.times.begin(), seen.times.end());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  seen.median = *middle;
}

StepLimits::Duration StepLimits::limit(oracle::Mode mode, oracle::Step step, Duration configured) const {
  const auto known = seen_.find({mode, step});
  if (known == seen_.end() || known->second.times.size() < kFewest || configured.count() == 0) return configured;
  return std::min(configured, std::max(kFloor, known->second.median * kMedians));
}

milliseconds WorkerProcess::step_limit() const {
  if (job_at_hand() == nullptr) {
    return config_.deadlines
        .compile;  // the canary and torch's own tools: no program, but seconds of imports and large files
  }
  const auto& deadlines = config_.deadlines;
  if (hung_) {
    return kRetireGrace;  // for a fork parent to report that its child is gone
  }
  if (task_->is_tool()) return deadlines.tool;
  if (!step_) return deadlines.program;
  const bool long_step = compiles(step_->mode, step_->step) || step_->step == oracle::Step::start;  // first GPU use
  const auto configured = long_step ? deadlines.compile : deadlines.program;
  return task_->is_fresh() ? configured : home_.limits.limit(step_->mode, step_->step, configured);
}

TimePoint WorkerProcess::state_deadline() const {
  TimePoint deadline = TimePoint::max();
  if (starting()) {
    // The builder compiles the precompiled header twice, for two sets of flags, on a machine that may be busy.
    deadline = after(since_, config_.deadlines.start * (role_ == Role::cache_builder ? 3 : 1));
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
  const TimePoint words = child_end_ ? child_end_->words_by : TimePoint::max();
  const TimePoint deadline = std::min({state_deadline(), look_again_, words});
  return deadline == TimePoint::max() ? std::nullopt : std::optional(deadline);
}

void WorkerProcess::check_deadlines(TimePoint now) {
  if (state_ == State::gone || process_.output_closed()) {
    return;  // check_end waits for the end, which has begun
  }
  if (now < state_deadline()) return;
  if (state_ == State::ending) return kill(PoolNotice::What::retired, "it did not exit when asked to", now);
  if (state_ != State::busy) {
    return misbehaved(starting() ? "it was not ready in time" : "its heartbeat stopped", now, PoolNotice::What::silent);
  }
  if (process_.inside_line()) return misbehaved("the worker stopped in the middle of a message", now);
  if (job_at_hand() == nullptr) {
    return misbehaved("the canary or one of torch's tools hung", now, PoolNotice::What::silent);
  }
  if (answered_) return misbehaved("a fresh process answered but did not exit", now);
  if (now >= after(last_heard_, config_.deadlines.beat)) {
    // The heartbeat needs no interpreter lock: the program does not hang, but the process is stopped or its machine is
    // lost.
    return misbehaved("its heartbeat stopped", now, PoolNotice::What::silent);
  }
  if (!hung_ && task_->is_fresh() && config_.launch_prefix.empty()) {
    // Kills the child and all it started; its parent, which has run no program, reports the end and continues.
    hung_ = true;
    since_ = now;
    kill_descendants_but(process_.pid(), own_processes_);
    return;
  }
  hung_ = true;
  kill(PoolNotice::What::hung,
       fmt::format("its program hung in {} of {}", step_ ? name(step_->step) : "start",
                   name(step_ ? step_->mode : oracle::Mode::eager)),
       now);
}

}  // namespace parityd::executor
