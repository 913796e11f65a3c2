#include "agent/daemon/daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/daemon/upkeep/workers_state.h"
#include "agent/daemon/wall_clock.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using executor::TimePoint;
using store::EventKind;

constexpr auto kAccountEvery = 10s;

store::ConversationLimits limits_of(const Config& config) {
  return {.rounds = config.conversation_rounds, .nano_dollars = std::llround(config.conversation_dollars * 1e9)};
}

}  // namespace

Daemon::Daemon(DaemonParts parts, DaemonOptions options, Progress& progress)
    : parts_(parts),
      options_(options),
      progress_(progress),
      alarms_(parts.store,
              [&progress, &log = parts.service.log()](store::Severity severity, std::string_view kind,
                                                      const std::string& text) {
                progress.line(fmt::format("{} {}: {}", name(severity), kind, text));
                log.line(std::string(name(severity)), std::string(kind), text);
              }),
      upkeep_({.store = parts.store,
               .config = parts.config,
               .alarms = alarms_,
               .probe = parts.disk,
               .check_beside = parts.check_beside}),
      policy_(policy_of(parts.config)),
      examiner_(parts.pool, parts.scratch, parts.config.seed, parts.config.excuses_off),
      gathering_(parts.store, parts.pool, examiner_),
      intake_(parts.syntax, drawn_options(parts.config)),
      recorder_(parts.store, parts.draft_template, parts.config.seed, disposition_policy(parts.config)),
      rechecker_(parts.store, parts.pool, examiner_, parts.config.gate_rounds, parts.tested, parts.torches),
      reducer_(examiner_, parts.syntax, {.worker_seconds = parts.config.reduction_seconds}),
      share_(parts.config.confirm_share),
      step_over_(parts.config.step_over_share),
      earnings_(parts.store),
      breeding_(parts.store, examiner_, parts.syntax, recent_parents(parts.store, earnings_.choices()),
                parts.config.seed, parts.config.mutant_share),
      notifier_(parts.config.notify, parts.notify, parts.store, alarms_) {
  session_ = options_.session;
  none_found_ = parts_.store.findings.times().empty();
  alarms_.set_time(parts_.clock.now(), parts_.clock.wall());
  if (parts_.provider != nullptr) {
    generation_.emplace(parts_.config, parts_.prompts, *parts_.provider, parts_.store,
                        earnings_.choices().strategies());
    if (parts_.sources != nullptr) {
      reading_room_.emplace(*parts_.sources, parts_.previous_sources, parts_.store, limits_of(parts_.config));
      generation_->read_in(*reading_room_);
      gathering_.look_for(
          [this] { return generation_->tells_outcomes() ? reading_room_->looks() : std::vector<Look>(); });
    }
  }
}

EndReason Daemon::run() {
  now_ = started_ = parts_.clock.now();
  wall_ = parts_.clock.wall();
  alarms_.set_time(now_, wall_);
  parts_.store.alarms.end_all(wall_);
  note("start", fmt::format("provider {}", parts_.provider != nullptr ? parts_.provider->name() : "none"));
  tell_of_start();
  parts_.service.starting("taking up what was left");
  parts_.store.transaction([this] {
    resume();
    resume_unsettled();
    reach(KillPoint::resuming);
  });
  parts_.service.ready();
  std::optional<EndReason> reason;
  accounted_ = now_;
  do {  // the first turn learns what is queued and asked for
    turn();
    reason = end_reason();
  } while (!reason);
  accounted_ = {};
  review_at_ = {};
  if (stop_now_ && examiner_.in_flight() > 0) {
    alarms_.raise(EventKind::stop_forced, fmt::format("{} in flight", examiner_.in_flight()));
  }
  parts_.store.transaction([this] {
    account_workers();
    review_health();
    alarms_.write();
  });
  note("end", problem_.empty() ? "as asked" : problem_);
  return *reason;
}

void Daemon::resume() {
  recorder_.ask_known();
  recorder_.release_stale(wall_);
  recorder_.set_newest_torch("", wall_);  // what it says is asked for again once it is known
  for (const auto& row : parts_.store.replies.abandon_reserved(wall_)) {
    alarms_.raise(EventKind::reply_unknown, fmt::format("request {} to {}", row.id, row.provider));
    if (row.program) {
      if (const auto program = parts_.store.programs.find(*row.program)) {
        repairs_.push_back(*program);
      }
    }
  }
  if (generation_) {
    for (const auto& row : parts_.store.replies.unprocessed()) {
      take_answer(generation_->reread(row));
    }
  }
  for (auto& program : parts_.store.programs.in_state(store::ProgramState::repairing, 100'000)) {
    begun_before_.insert(program.root);
    const bool asked =
        std::any_of(repairs_.begin(), repairs_.end(), [&](const auto& row) { return row.id == program.id; });
    const bool answered = repairs_answered_.contains(program.id);
    if (!asked && !answered) {
      repairs_.push_back(std::move(program));
    }
  }
  for (auto& program : parts_.store.programs.in_state(store::ProgramState::gating, 100'000)) {
    begun_before_.insert(program.root);
    if (program.gate_rounds > 0) {
      wait_for_gate(std::move(program), true);
    } else {
      resumed_.emplace_back(program.id, seen_on(program.id));
      active_[program.id] = std::move(program);
    }
  }
}

executor::GroupIndex Daemon::group_of(store::Id program) const {
  const auto placed = placed_.find(program);
  return placed == placed_.end() ? 0 : placed->second;
}

/// Programs beside those that run there now.
int Daemon::allowed_more(executor::GroupIndex group) const {
  const int places = parts_.pool.config(group).warm_workers;
  const int free = parts_.pool.free_warm(group);
  return std::min(free, pressure_.allowed(group, places, now_) - (places - free));
}

std::optional<executor::GroupIndex> Daemon::place() {
  std::vector<Placement::Group> groups;
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    groups.push_back({.share = group < parts_.shares.size() ? parts_.shares[group] : 1.0,
                      .workers = parts_.pool.config(group).warm_workers,
                      .free = allowed_more(group) - given_[group],
                      .broken = parts_.pool.broken(group).has_value()});
  }
  const auto chosen = placement_.choose(groups);
  if (chosen) {
    placement_.placed(*chosen);
    ++given_[*chosen];
  }
  return chosen;
}

/// Where worker time went, once a while and at the end; what happened to workers, at once.
void Daemon::account_workers() {
  tell_of_workers();
  if (now_ - accounted_ < kAccountEvery && !stopping_) {
    return;
  }
  accounted_ = now_;
  std::vector<store::WorkerSecondsRow> rows;
  const auto all = parts_.pool.take_seconds(now_);
  for (executor::GroupIndex group = 0; group < all.size(); ++group) {
    for (std::size_t index = 0; index < executor::kOccupations; ++index) {
      const auto occupation = static_cast<executor::Occupation>(index);
      if (all[group][occupation] > 0) {
        rows.push_back({.group = parts_.pool.config(group).name,
                        .occupation = std::string(name(occupation)),
                        .seconds = all[group][occupation]});
      }
    }
  }
  parts_.store.workers.add_seconds(rows, wall_);
  parts_.store.values.set("workers", workers_state(parts_.pool, wall_));
}

void Daemon::turn() {
  wait();
  read_clocks();
  parts_.pool.service(now_);
  parts_.syntax.service();
  upkeep_.service(now_, wall_, examiner_.in_flight() == 0);
  parts_.store.transaction([this] {
    heed_signals();
    meet_torches();
    apply_requests();
    read_sources();
    take_answers();
    take_programs();
    take_examined();
    take_settled();
    take_parted();
    breeding_.take_sifted();
    take_reduced();
    take_swept();
    write_findings();
    schedule();
    gather();
    notify();
    account_workers();
    watch_open_files();
    review_health();
    alarms_.write();
    reach(KillPoint::before_commit);
  });
  alarms_.written();
  parts_.service.ticked(Service::Part::store);
  reach(KillPoint::after_commit);
  for (const auto& effect : std::exchange(outbox_, {})) {
    effect();
  }
  intake_.service();
  parts_.pool.hand_out(parts_.clock.now());
  progress_.update(session_, parts_.pool.counts(), generation_ ? generation_->in_flight() : 0, now_);
  parts_.service.turn_ended(now_, stopping_, [this] { return status(); });
}

void Daemon::wait() {
  std::vector<executor::Interest> interests{parts_.service.signals().interest()};
  parts_.pool.append_interests(interests);
  parts_.syntax.append_interests(interests);
  if (reading_room_) {
    reading_room_->append_interests(interests);
  }
  notifier_.append_interests(interests);
  TimePoint until = now_ + 500ms;  // the terminal's line, requests from other processes
  const auto sooner = [&](std::optional<TimePoint> deadline) { until = deadline ? std::min(until, *deadline) : until; };
  sooner(parts_.pool.next_deadline());
  sooner(parts_.service.next_deadline());
  sooner(notifier_.next_deadline());
  sooner(parts_.provider != nullptr ? parts_.provider->next_deadline() : std::nullopt);
  if (stopping_) {
    sooner(stop_by_);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - parts_.clock.now());
  parts_.clock.wait(interests, std::max(left, 0ms));
}

bool Daemon::may_take_first_program() const {
  return !stopping_ && (!options_.programs || session_.programs < *options_.programs);
}

void Daemon::schedule() {
  if (stopping_ || !upkeep_.may_begin()) {
    return;
  }
  begin_queued();  // first: places that are left over are confirming's, whatever its share
  begin_suspects();
  TrialRoom room = trial_room();
  for (auto& [program, sweeper] : sweepers_) {  // before reductions: less is missing until there is a finding
    sweeper.service(room, now_);
  }
  reducer_.service(room, now_);
  int requests = generation_ && may_ask() ? parts_.provider->capacity(now_) : 0;
  ask_repairs(requests);
  if (generation_ && may_ask()) {
    ask(requests);
  }
}

void Daemon::begin_queued() {
  given_.assign(parts_.pool.groups(), 0);
  if (queued_.empty()) {
    for (auto& program : parts_.store.programs.in_state(store::ProgramState::queued, 256)) {
      if (!active_.contains(program.id) && !pressure_.waits(program.id, now_)) {
        queued_.push_back(std::move(program));
      }
    }
  }
  const bool finding_comes = first_finding_comes();
  for (std::size_t looked_at = queued_.size(); looked_at > 0; --looked_at) {
    store::ProgramRow program = std::move(queued_.front());
    queued_.pop_front();
    if (is_counted_first(program) && (finding_comes || !may_take_first_program())) {
      queued_.push_back(std::move(program));  // repairs behind it still run
      continue;
    }
    const auto group = place();
    if (!group) {
      queued_.push_front(std::move(program));
      return;
    }
    placed_[program.id] = *group;
    session_.programs += is_counted_first(program) ? 1 : 0;
    step(std::move(program), Begin{});
  }
}

/// Before the first worker is there: as if there were one.
Supply::Level Daemon::supply_level() const {
  const auto counts = parts_.pool.counts();
  Supply::Level level{.workers = std::max(1, counts.warm_ready + counts.warm_busy),
                      .waiting = static_cast<int>(queued_.size()) + intake_.in_flight(),
                      .requested = generation_->in_flight()};
  if (options_.duration) {
    level.seconds_left = std::chrono::duration<double>(started_ + *options_.duration - now_).count();
  }
  return level;
}

void Daemon::ask(int room) {
  if (options_.drain || !may_take_first_program() || !problem_.empty()) {
    return;
  }
  Supply::Level level = supply_level();
  int ahead = level.waiting + generation_->generating();
  while (supply_.is_low(level) || supply_.is_starving(level)) {
    if (options_.programs && session_.programs + ahead >= *options_.programs) {
      return tell_pause();
    }
    const bool may_ask = room > 0 && supply_.is_low(level);
    if (auto bred = supply_.is_starving(level) || (may_ask && breeding_.its_turn()) ? breeding_.take() : std::nullopt) {
      intake_.take(std::move(*bred));
      ++level.waiting;
    } else if (!may_ask || !generation_->ask(now_, wall_, outbox_)) {
      break;
    } else {
      request_booked();
      ++level.requested;
      --room;
    }
    ++ahead;
  }
  if (parts_.pool.counts().warm_ready + parts_.pool.counts().warm_busy > 0) {
    breeding_.service(now_);
  }
  tell_pause();
}

void Daemon::tell_pause() {
  if (generation_->pause_reason() != last_pause_) {
    last_pause_ = generation_->pause_reason();
    if (last_pause_.empty()) {
      alarms_.over(EventKind::budget_spent);
    } else {
      alarms_.raise(EventKind::budget_spent, last_pause_);
    }
  }
}

bool Daemon::nothing_left() const {
  const bool queue_done = queued_.empty() || !may_take_first_program();
  const bool others_queued =
      std::any_of(queued_.begin(), queued_.end(), [this](const auto& row) { return !is_counted_first(row); });
  return active_.empty() && unsettled_.empty() && pending_.empty() && !rechecker_.waits() &&
         !gathering_.scripts_wait() && repairs_.empty() && queue_done && !others_queued &&
         !pressure_.anyone_waits(now_) && intake_.in_flight() == 0 && outbox_.empty() &&
         (!generation_ || generation_->in_flight() == 0) && !notifier_.busy() &&
         (all_torches_met() || parts_.store.environments.torches().empty()) && parts_.store.requests.waiting() == 0;
}

/// Set when no group that runs programs can start a worker.
std::optional<std::string> Daemon::why_broken() const {
  std::optional<std::string> first;
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    const auto reason = parts_.pool.broken(group);
    if (!reason) {
      return std::nullopt;
    }
    first = first.value_or(*reason);
  }
  return first;
}

/// Workers that once ran are tried again, a start a minute: a crowded machine or a lost GPU is no reason to end. Where
/// none ever ran the installation is wrong. As long as one starts nobody knows: sshd turns some away when all come at
/// once.
bool Daemon::workers_hopeless() {
  const auto broken = why_broken();
  if (!broken) {
    alarms_.over(EventKind::no_workers);
    return false;
  }
  bool one_ran = false, one_starts = false;
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    one_ran = one_ran || parts_.pool.hello(group).has_value();
    one_starts = one_starts || parts_.pool.counts(group).starting > 0;
  }
  if (!alarms_.holds(EventKind::no_workers) && !one_starts) {
    alarms_.raise(EventKind::no_workers, *broken);
  }
  if (one_ran || one_starts) {
    return false;
  }
  problem_ = *broken;
  return true;
}

std::optional<EndReason> Daemon::end_reason() {
  if (options_.duration && now_ - started_ >= *options_.duration && !stopping_) {
    begin_stop(now_ + kStopGrace);
  }
  if (stopping_) {
    const bool idle =
        examiner_.in_flight() == 0 && (!generation_ || generation_->in_flight() == 0) && !notifier_.running();
    return stop_now_ || idle || now_ >= stop_by_ ? std::optional(EndReason::stopped) : std::nullopt;
  }
  if (workers_hopeless()) {
    return EndReason::workers_broken;
  }
  const bool taken_all = options_.programs && session_.programs >= *options_.programs;
  // Without an end of its own it waits for the operator: a reload lets providers try again: what stopped them
  // may be a key that was mended.
  const bool given_up = !problem_.empty() && options_.programs;
  const bool ending = options_.drain || !generation_ || taken_all || given_up;
  if (!ending || !nothing_left()) {
    return std::nullopt;
  }
  if (!options_.drain && !taken_all && generation_) {
    return EndReason::provider_stopped;
  }
  return EndReason::done;
}

/// The request's own effect is the last one of the outbox.
void Daemon::request_booked() {
  outbox_.insert(std::prev(outbox_.end()), [this] { reach(KillPoint::reserved); });
  outbox_.emplace_back([this] { reach(KillPoint::sent); });
}

void Daemon::reach(KillPoint point) const {
  if (parts_.kill_hook) {
    parts_.kill_hook(point);
  }
}

/// What happened and is no fault: those are raised (alarms.h).
void Daemon::note(const std::string& what, const std::string& text) {
  parts_.store.events.add("info", what, text, wall_);
  parts_.service.log().line("info", what, text);
}

void Daemon::say(const std::string& what, const std::string& text) {
  progress_.line(text);
  note(what, text);
}

}  // namespace parityd::agent
