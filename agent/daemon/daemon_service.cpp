// What the daemon does for the system around it: signals, reloads, and what a supervisor is told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/daemon/daemon.h"

namespace parityd::agent {

using namespace std::chrono_literals;

namespace {
constexpr std::chrono::milliseconds kLongestTurn = 30s;  // a supervisor's watchdog is not much more patient
constexpr std::chrono::milliseconds kLongestJump = 60s;
}  // namespace

Policy policy_of(const Config& config) {
  return {.gate_rounds = config.gate_rounds, .repair_rounds = config.repair_rounds};
}

void Daemon::begin_stop(executor::TimePoint by) {
  if (!stopping_) {
    parts_.service.stopping();
  }
  stopping_ = true;
  stop_by_ = by;
}

void Daemon::heed_signals() {
  if (const auto news = parts_.service.log().take_news()) {
    alarms_.raise(news->kind, news->text);
  }
  if (progress_.reader_gone() && !std::exchange(silent_, true)) {
    alarms_.raise(store::EventKind::output_closed, "standard output");
  }
  if (parts_.service.reload_wanted()) {
    reload();
  }
  const int stops = parts_.service.signals().stops();
  stop_now_ = stops > 1;
  if (stops > 0 && !stopping_) {
    begin_stop(now_ + kStopGrace);
    say("stop", fmt::format("stopping: {}", in_flight()));
    progress_.line(
        fmt::format("they finish or are requeued, within {} s; Ctrl-C again ends at once", kStopGrace.count()));
  }
}

/// What a stop waits for, in words.
std::string Daemon::in_flight() const {
  const auto counted = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{} in flight", number, what, number == 1 ? "" : "s");
  };
  const std::size_t runs = examiner_.in_flight();
  const auto requests = static_cast<std::size_t>(generation_ ? generation_->in_flight() : 0);
  std::string text = counted(runs, "run");
  text += requests > 0 ? ", " + counted(requests, "request") : "";
  return text + (notifier_.running() ? ", a notification" : "");
}

/// What was begun under the old configuration may end under it.
void Daemon::reload() {
  const auto reloaded = parts_.service.reload();
  if (!reloaded) {
    return alarms_.raise(store::EventKind::config_refused, reloaded.error());
  }
  alarms_.over(store::EventKind::config_refused);
  const Config& config = parts_.config;
  policy_ = policy_of(config);
  examiner_.set_excuses_off(config.excuses_off);
  intake_.set_drawn(drawn_options(config));
  recorder_.set_rules(config.dispositions, config.known_max_age);
  rechecker_.set_rounds(config.gate_rounds);
  reducer_.set_limits({.worker_seconds = config.reduction_seconds});
  share_.set_share(config.confirm_share);
  step_over_.set_share(config.step_over_share);
  breeding_.set_share(config.mutant_share);
  problem_.clear();  // providers try again
  replies_without_program_.clear();
  recorder_.release_stale(wall_);
  findings_changed();
  say("reloaded",
      fmt::format("configuration read again; changed: {}",
                  reloaded->changed.empty() ? "nothing" : fmt::format("{}", fmt::join(reloaded->changed, ", "))));
  for (const auto& key : reloaded->needs_restart) {
    say("needs_restart", fmt::format("{} has changed in the configuration: it counts from the next start", key));
  }
}

/// The time of this turn, and what is odd about it.
void Daemon::read_clocks() {
  const auto now = parts_.clock.now();
  const auto wall = parts_.clock.wall();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - now_);
  const auto jumped = std::chrono::milliseconds(wall - wall_) - took;
  now_ = now;
  wall_ = wall;
  alarms_.set_time(now_, wall_);
  if (took > kLongestTurn) {
    alarms_.raise(store::EventKind::loop_stalled, fmt::format("for {} s", took.count() / 1000));
  }
  if (std::chrono::abs(jumped) > kLongestJump) {
    alarms_.raise(store::EventKind::clock_jumped, fmt::format("by {} s", jumped.count() / 1000));
  }
}

void Daemon::tell_of_start() {
  for (const auto& [kind, name, text] : parts_.notes) {
    if (kind) {
      alarms_.raise(*kind, text);
    } else {
      say(name, text);
    }
  }
}

void Daemon::watch_open_files() {
  const auto lacking = parts_.pool.short_of_files();
  if (!lacking) {
    alarms_.over(store::EventKind::descriptors_short);
  } else if (!alarms_.holds(store::EventKind::descriptors_short)) {
    alarms_.raise(store::EventKind::descriptors_short, *lacking);
  }
}

std::string Daemon::status() const {
  const auto pool = parts_.pool.counts();
  return fmt::format("{} programs, {} suspects, {} findings in this session; {} of {} workers busy{}",
                     session_.programs, session_.suspects, session_.findings, pool.warm_busy,
                     pool.warm_ready + pool.warm_busy, problem_.empty() ? "" : "; no provider answers: " + problem_);
}

void Daemon::read_sources() {
  if (!reading_room_) {
    return;
  }
  const bool was_open = reading_room_->open();
  reading_room_->service(wall_);
  if (const std::string problem = reading_room_->take_problem(); !problem.empty()) {
    note("sources", "not all of torch's sources can be read: " + problem);
  }
  if (!was_open && reading_room_->open()) {
    note("sources", reading_room_->in_words());
  }
}

}  // namespace parityd::agent
