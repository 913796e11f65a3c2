#include "agent/daemon/daemon.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "executor/pool/pool.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using executor::TimePoint;
using store::EventKind;

constexpr std::chrono::milliseconds kLongestTurn = 30s;  // a supervisor's watchdog is hardly more patient
constexpr std::chrono::milliseconds kLongestJump = 60s;
/// For the terminal's status line and other processes' requests.
constexpr std::chrono::milliseconds kLongestWait = 500ms;

}  // namespace

Daemon::Daemon(DaemonParts parts, DaemonOptions options, Progress& progress)
    : parts_(std::move(parts)),
      alarms_(parts_.store,
              [&progress, &log = parts_.service.log()](store::Severity severity, std::string_view kind,
                                                       const std::string& text) {
                progress.line(fmt::format("{} {}: {}", name(severity), kind, text));
                log.line(std::string(name(severity)), std::string(kind), text);
              }),
      turn_({.config = parts_.config,
             .store = parts_.store,
             .pool = parts_.pool,
             .alarms = alarms_,
             .progress = progress,
             .log = parts_.service.log(),
             .kill_hook = parts_.kill_hook,
             .tested = parts_.tested,
             .options = options,
             .session = options.session}),
      upkeep_({.store = parts_.store,
               .config = parts_.config,
               .alarms = alarms_,
               .probe = parts_.disk,
               .check_beside = parts_.check_beside}),
      watch_(turn_),
      shop_(turn_, parts_.syntax, parts_.scratch, parts_.draft_template),
      programs_(shop_),
      queue_(shop_, programs_, parts_.shares),
      confirming_(shop_, programs_, queue_),
      judging_again_(shop_, programs_),
      sourcing_(shop_, {.prompts = parts_.prompts,
                        .provider = parts_.provider,
                        .sources = parts_.sources,
                        .previous_sources = parts_.previous_sources}),
      arrivals_(shop_, programs_, sourcing_),
      asking_(shop_, programs_, sourcing_),
      aftercare_(shop_, parts_.notify, parts_.fix, [this] { return sourcing_.looks(); }),
      torches_(shop_, aftercare_, parts_.torches),
      requests_(shop_, arrivals_, [this] { begin_stop(turn_.now); }) {
  alarms_.set_time(parts_.clock.now(), parts_.clock.wall());
}

EndReason Daemon::run() {
  start();
  std::optional<EndReason> reason;
  do {  // the first turn reads the queue and the requests
    turn();
    reason = end_reason();
  } while (!reason);
  if (stop_now_ && shop_.examiner.in_flight() > 0) {
    alarms_.raise(EventKind::stop_forced, fmt::format("{} in flight", shop_.examiner.in_flight()));
  }
  parts_.store.transaction([this] {
    watch_.end();
    alarms_.write();
  });
  turn_.note("end", problem().empty() ? "as asked" : problem());
  return *reason;
}

void Daemon::start() {
  turn_.now = turn_.started = parts_.clock.now();
  turn_.wall = parts_.clock.wall();
  alarms_.set_time(turn_.now, turn_.wall);
  parts_.store.alarms.end_all(turn_.wall);
  turn_.note("start", fmt::format("provider {}", parts_.provider != nullptr ? parts_.provider->name() : "none"));
  for (const auto& [kind, name, text] : parts_.notes) {
    if (kind) {
      alarms_.raise(*kind, text);
    } else {
      turn_.say(name, text);
    }
  }
  parts_.service.starting("resuming unfinished work");
  parts_.store.transaction([this] {
    resume();
    turn_.reach(KillPoint::resuming);
  });
  parts_.service.ready();
}

void Daemon::resume() {
  shop_.recorder.ask_known();
  shop_.recorder.release_stale(turn_.wall);
  shop_.recorder.set_newest_torch("", turn_.wall);  // looked up again once the newest torch is known
  arrivals_.resume();
  for (const auto& program : parts_.store.programs.in_state(store::ProgramState::confirming, 100'000)) {
    confirming_.resume(program);
  }
  judging_again_.resume();
  programs_.resume();
}

void Daemon::turn() {
  wait();
  read_clocks();
  parts_.pool.poll(turn_.now);
  parts_.syntax.poll();
  upkeep_.maintain(turn_.now, turn_.wall, shop_.examiner.in_flight() == 0);
  parts_.store.transaction([this] {
    heed_signals();
    torches_.meet();
    requests_.carry_out();
    sourcing_.continue_reading();
    arrivals_.receive();
    take_examined();
    judging_again_.apply_checks();
    asking_.take_bred();
    programs_.poll();
    schedule();
    look_after_findings();
    look_after_workers();
    alarms_.write();
    turn_.reach(KillPoint::before_commit);
  });
  alarms_.written();
  parts_.service.ticked(Service::Part::provider);
  parts_.service.ticked(Service::Part::store);
  turn_.reach(KillPoint::after_commit);
  for (const auto& effect : std::exchange(turn_.outbox, {})) {
    effect();
  }
  shop_.intake.send_to_parser();
  parts_.pool.hand_out(parts_.clock.now());
  turn_.progress.update(turn_.session, parts_.pool.counts(), programs_.in_hand(), sourcing_.in_flight(), turn_.now);
  parts_.service.turn_ended(turn_.now, turn_.stopping, [this] { return status(); });
}

void Daemon::wait() {
  std::vector<executor::Interest> interests{parts_.service.signals().interest()};
  parts_.pool.append_interests(interests);
  parts_.syntax.append_interests(interests);
  sourcing_.append_interests(interests);
  aftercare_.append_interests(interests);
  TimePoint until = turn_.now + kLongestWait;
  const auto sooner = [&](std::optional<TimePoint> deadline) { until = deadline ? std::min(until, *deadline) : until; };
  sooner(parts_.pool.next_deadline());
  sooner(parts_.service.next_deadline());
  sooner(aftercare_.next_deadline());
  sooner(sourcing_.next_deadline());
  if (turn_.stopping) sooner(stop_by_);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - parts_.clock.now());
  parts_.clock.wait(interests, std::max(left, 0ms));
}

/// Reads the time of this turn, and reports clock anomalies.
void Daemon::read_clocks() {
  const auto now = parts_.clock.now();
  const auto wall = parts_.clock.wall();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - turn_.now);
  const auto jumped = std::chrono::milliseconds(wall - turn_.wall) - took;
  turn_.now = now;
  turn_.wall = wall;
  alarms_.set_time(now, wall);
  if (took > kLongestTurn) alarms_.raise(EventKind::loop_stalled, fmt::format("for {} s", took.count() / 1000));
  if (std::chrono::abs(jumped) > kLongestJump) {
    alarms_.raise(EventKind::clock_jumped, fmt::format("by {} s", jumped.count() / 1000));
  }
}

void Daemon::heed_signals() {
  if (const auto news = parts_.service.log().take_news()) alarms_.raise(news->kind, news->text);
  if (turn_.progress.reader_gone() && !std::exchange(silent_, true)) {
    alarms_.raise(EventKind::output_closed, "standard output");
  }
  if (parts_.service.reload_wanted()) reload();
  const int stops = parts_.service.signals().stops();
  stop_now_ = stops > 1;
  if (stops > 0 && !turn_.stopping) {
    begin_stop(turn_.now + kStopGrace);
    turn_.say("stop", fmt::format("stopping: {}", in_flight()));
    turn_.progress.line(
        fmt::format("they finish or are requeued within {} s; Ctrl-C again ends at once", kStopGrace.count()));
  }
}

void Daemon::begin_stop(TimePoint by) {
  if (!turn_.stopping) parts_.service.stopping();
  turn_.stopping = true;
  stop_by_ = by;
}

/// Work that began under the old configuration may finish under it.
void Daemon::reload() {
  const auto reloaded = parts_.service.reload();
  if (!reloaded) return alarms_.raise(EventKind::config_refused, reloaded.error());
  alarms_.over(EventKind::config_refused);
  shop_.reload();
  programs_.reload();
  arrivals_.reload();
  asking_.reload();
  aftercare_.reload();
  torches_.reload();
  shop_.recorder.release_stale(turn_.wall);
  turn_.findings_changed();
  turn_.say("reloaded",
            fmt::format("configuration reloaded; changed: {}",
                        reloaded->changed.empty() ? "nothing" : fmt::format("{}", fmt::join(reloaded->changed, ", "))));
  for (const auto& key : reloaded->needs_restart) {
    turn_.say("needs_restart",
              fmt::format("{} has changed in the configuration; it takes effect at the next start", key));
  }
}

void Daemon::take_examined() {
  for (const auto& examined : shop_.examiner.drain_results(turn_.now)) {
    if (examined.what == Examination::recheck) {
      torches_.on_result(examined);
    } else {
      programs_.examined(examined);
    }
  }
}

void Daemon::schedule() {
  if (turn_.stopping || !upkeep_.may_begin()) return;
  queue_.start_programs(confirming_.first_is_shown_soon());
  confirming_.start_confirmations();
  TrialRoom room = confirming_.trial_room();
  programs_.send_trials(room);
  asking_.ask(upkeep_.may_spend() && !alarms_.stop_asking(), arrivals_.problem().empty());
}

void Daemon::look_after_findings() {
  aftercare_.collect_results();
  if (!turn_.stopping) {
    const bool confirming = programs_.confirming();
    torches_.begin(confirming);
    aftercare_.begin(confirming);
  }
  aftercare_.notify();
  aftercare_.fix(upkeep_.may_spend() && !alarms_.stop_asking());
}

void Daemon::look_after_workers() {
  for (const executor::GroupIndex group : watch_.report_events()) {
    shop_.recorder.forget_environment(group);
    torches_.forget(group);
  }
}

bool Daemon::nothing_left() const {
  return programs_.under_way() == 0 && shop_.trust.all_settled() && queue_.done() && arrivals_.idle() &&
         torches_.idle() && aftercare_.idle() && turn_.outbox.empty() && parts_.store.requests.waiting() == 0;
}

std::optional<EndReason> Daemon::end_reason() {
  const DaemonOptions& options = turn_.options;
  if (options.duration && turn_.now - turn_.started >= *options.duration && !turn_.stopping) {
    begin_stop(turn_.now + kStopGrace);
  }
  if (turn_.stopping) {
    const bool idle = shop_.examiner.in_flight() == 0 && sourcing_.in_flight() == 0 && !aftercare_.notifying();
    return stop_now_ || idle || turn_.now >= stop_by_ ? std::optional(EndReason::stopped) : std::nullopt;
  }
  if (const auto broken = watch_.hopeless()) {
    broken_ = *broken;
    return EndReason::workers_broken;
  }
  const bool taken_all = options.programs && turn_.session.programs >= *options.programs;
  // With no limit set, it waits for the operator: after a reload providers are tried again, and a corrected key may
  // have been what stopped them.
  const bool given_up = !arrivals_.problem().empty() && options.programs;
  const bool asks = parts_.provider != nullptr;
  if (!(options.drain || !asks || taken_all || given_up) || !nothing_left()) return std::nullopt;
  return !options.drain && !taken_all && asks ? EndReason::provider_stopped : EndReason::done;
}

/// Status line for the supervisor.
std::string Daemon::status() const {
  const auto pool = parts_.pool.counts();
  const auto& session = turn_.session;
  return fmt::format("{} programs, {} suspects, {} findings in this session; {} of {} workers busy{}", session.programs,
                     session.suspects, session.findings, pool.warm_busy, pool.warm_ready + pool.warm_busy,
                     problem().empty() ? "" : "; no provider answers: " + problem());
}

/// What a stop waits for, as text.
std::string Daemon::in_flight() const {
  const auto counted = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{} in flight", number, what, number == 1 ? "" : "s");
  };
  const auto requests = static_cast<std::size_t>(sourcing_.in_flight());
  std::string text = counted(shop_.examiner.in_flight(), "run");
  text += requests > 0 ? ", " + counted(requests, "request") : "";
  return text + (aftercare_.notifying() ? ", a notification" : "");
}

}  // namespace parityd::agent
