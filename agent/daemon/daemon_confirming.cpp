// The daemon's confirming: what suspects go through from the closer look to their finding.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/daemon/daemon.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

/// Every 50th occurrence goes through the whole gate, to keep the grouping honest.
constexpr store::Id kRecheckEvery = 50;
/// Characters of an explanation that a line shows.
constexpr std::size_t kConfirmedWords = 100;

constexpr int kFewWorkers = 2;
constexpr std::chrono::minutes kFirstFinding{5};  // then programs wait for no finding any more

}  // namespace

void Daemon::tell_of_confirmed(const store::ProgramRow& program) {
  const auto shown = store::clean_line(recorder_.told(program).whole.verdict.explanation);
  progress_.line(fmt::format("program {} is confirmed in fresh processes and made small now: {}", program.id,
                             store::shortened(shown, kConfirmedWords)));
}

/// What a suspect runs as once the gate has confirmed it.
Subject Daemon::confirmed_subject(const store::ProgramRow& program, const Recorder::Told& told) const {
  Subject subject = subject_of(program);
  if (told.reduction_holds()) {
    subject.text = told.reduction->text;
    subject.options_json = told.reduction->options_json;
  }
  return subject;
}

/// The steps of a confirmed program.
void Daemon::carry_on(store::ProgramRow program, Action action) {
  if (stopping_) {
    return;  // its row says where to go on
  }
  if (action == Action::attribute) {
    return begin_attribution(std::move(program));
  }
  if (action == Action::find_extent) {
    return begin_sweep(std::move(program));
  }
  auto told = recorder_.told(program);
  const auto subject = confirmed_subject(program, told);
  const auto effect = [&]() -> std::function<void()> {
    switch (action) {
      case Action::reduce: {
        auto failed = parts_.store.reductions.failed_trials(program.id);
        return [this, subject, shown = std::move(told.whole),
                texts = std::set<std::string>(failed.begin(), failed.end())] {
          reducer_.begin(subject, shown, texts, now_);
        };
      }
      case Action::run_final_round:
        return [this, subject, round = told.final_rounds + 1] {
          examiner_.gate(subject, Examination::final_gate, round, now_);
        };
      case Action::find_stage:
        return [this, subject, verdict = told.whole.verdict] { examiner_.ladder(subject, verdict, now_); };
      case Action::find_rest:
        return [this, whole = subject_of(program), kind = told.whole.verdict.kind.value_or(oracle::Kind::numerical),
                neutralisers = neutralisers_of(program.id)] {
          examiner_.rest(whole, Examination::rest, kind, neutralisers, now_);
        };
      default:
        return [this, subject, number = told.trials + 1] { examiner_.reach(subject, number, now_); };
    }
  }();
  active_[program.id] = std::move(program);
  outbox_.push_back(effect);
}

/// What the screen saw of the program as it is; the whole look where it saw nothing that counts.
oracle::Kind Daemon::suspected_kind(store::Id program) const {
  auto kind = oracle::Kind::numerical;
  for (const auto& row : parts_.store.examinations.of(program)) {
    if (row.purpose == name(Examination::screen) && row.neutralisers.empty() && row.verdict.kind) {
      kind = *row.verdict.kind;
    }
  }
  return kind;
}

/// Whoever tries parityd waits for the first finding, and few workers would share its time with new programs.
bool Daemon::first_finding_comes() const {
  if (!none_found_ || options_.drain || now_ - started_ > kFirstFinding) {
    return false;
  }
  int workers = 0;
  int suspects = 0;
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    workers += parts_.pool.config(group).warm_workers;
    suspects += suspects_.in_gate(group);
  }
  return workers <= kFewWorkers && suspects > 0;
}

/// A worker's place that no program takes is free to confirm.
bool Daemon::programs_take_all(executor::GroupIndex group) const {
  return programs_wait() && parts_.pool.free_warm(group) <= given_[group];
}

bool Daemon::may_confirm(executor::GroupIndex group) const {
  return share_.may_confirm(group, programs_take_all(group));
}

TrialRoom Daemon::trial_room() const {
  std::vector<int> places;
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    places.push_back(may_confirm(group) ? parts_.pool.config(group).warm_workers : 0);
  }
  return examiner_.trial_room(std::move(places));
}

/// Suspects go to the gate as far as confirming's share of the workers' time allows, novel signatures first.
void Daemon::begin_suspects() {
  while (const auto excess = suspects_.take_excess()) {
    step(take_active(*excess).value(), SetAside{"set aside: too many suspects wait, most of them with this signature"});
  }
  place_resumed();
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    begin_suspects_of(group);
  }
}

void Daemon::begin_suspects_of(executor::GroupIndex group) {
  const int workers = parts_.pool.config(group).warm_workers;
  while (suspects_.in_gate(group) < share_.at_once(workers, programs_take_all(group)) && may_confirm(group)) {
    const auto next = suspects_.take(group, [&](const SeenOn& seen) { return confirms(group, seen); });
    if (!next) {
      return;
    }
    if (next->begun) {
      take_up(next->program, group);
      continue;
    }
    placed_[next->program] = group;
    store::ProgramRow program = take_active(next->program).value();
    const auto verdict = recorder_.suspected(program.id).verdict;
    const auto known = familiar(program.id, verdict);
    if (known == Familiar::yes) {  // while it waited another of its signature became a finding
      step(std::move(program), LookedCloser{.verdict = verdict, .familiar = Familiar::yes});
      continue;
    }
    if (known == Familiar::recheck) {  // whole: no finding's neutraliser answers for it
      step(std::move(program), KinTried{.verdict = verdict});
      continue;
    }
    program.next_step = "neutralisers of the nearest findings, then the gate";
    parts_.store.programs.update(program);
    begin_kinship(std::move(program));
  }
}

/// What a group's workers run on, once one of them has said so.
std::optional<SeenOn> Daemon::runs_on(executor::GroupIndex group) const {
  const auto hello = parts_.pool.hello(group);
  if (!hello) return std::nullopt;
  const auto device = parts_.pool.config(group).device;
  return SeenOn{.torch = hello->torch,
                .python = hello->python,
                .device = std::string(name(device)),
                .device_name = hello->device_name(device)};
}

SeenOn Daemon::seen_on(store::Id program) const {
  const auto row = parts_.store.environments.seen_on(program).value_or(store::EnvironmentRow{});
  return {.torch = row.torch, .python = row.python, .device = row.device, .device_name = row.device_name};
}

/// A group whose workers do not start leaves suspects to those like it.
bool Daemon::confirms(executor::GroupIndex group, const SeenOn& seen) const {
  if (parts_.pool.broken(group)) return false;
  return runs_on(group) == seen || stand_in(seen) == group;
}

/// Who confirms what no group runs on any more: the first with such a device, or the first where none has. Nobody while
/// a group that is to have such a device has not said what it is: its suspects wait until it starts.
std::optional<executor::GroupIndex> Daemon::stand_in(const SeenOn& seen) const {
  std::optional<executor::GroupIndex> first, alike;
  bool device_gone = true;
  for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
    const auto there = runs_on(group);
    const bool such_a_device = name(parts_.pool.config(group).device) == seen.device;
    if (there == seen || (such_a_device && !there)) return std::nullopt;
    device_gone = device_gone && !such_a_device;
    if (!there || parts_.pool.broken(group)) continue;
    if (!first) first = group;
    if (!alike && such_a_device) alike = group;
  }
  return device_gone ? first : alike;
}

/// Found by a restart before their first round: some group like the one that saw them looks closer, that with the
/// fewest.
void Daemon::place_resumed() {
  const auto programs = [this](executor::GroupIndex group) {
    return std::ranges::count_if(placed_, [group](const auto& placed) { return placed.second == group; });
  };
  for (auto& [id, seen] : std::exchange(resumed_, {})) {
    std::optional<executor::GroupIndex> least;
    for (executor::GroupIndex group = 0; group < parts_.tested; ++group) {
      if (confirms(group, seen) && (!least || programs(group) < programs(*least))) least = group;
    }
    if (!least) {
      resumed_.emplace_back(id, std::move(seen));
      continue;
    }
    take_up(id, *least);
  }
}

/// Goes on where a restart found it.
void Daemon::take_up(store::Id program, executor::GroupIndex group) {
  placed_[program] = group;
  auto row = take_active(program).value();
  const Begin begin{.verdict = recorder_.told(row).whole.verdict};
  step(std::move(row), begin);
}

/// For a worker: what a provider has not answered yet waits for nobody.
bool Daemon::programs_wait() const {
  return std::any_of(queued_.begin(), queued_.end(),
                     [&](const auto& program) { return !is_counted_first(program) || may_take_first_program(); });
}

void Daemon::take_reduced() {
  for (const auto& trial : reducer_.take_failed()) {
    parts_.store.reductions.add_failed_trial(trial.program, trial.text);
  }
  for (auto& reduced : reducer_.take_finished()) {
    if (auto program = take_active(reduced.program)) {
      reduced.at = wall_;
      parts_.store.reductions.set(reduced);
      reach(KillPoint::reduced);
      go_on(std::move(*program));
    }
  }
}

Familiar Daemon::familiar(store::Id program, const oracle::Verdict& verdict) const {
  if (verdict.verdict != oracle::VerdictKind::inconsistent) {
    return Familiar::no;
  }
  const auto finding = parts_.store.findings.by_raw_signature(recorder_.raw_signature(program)->hash);
  if (!finding) {
    return Familiar::no;
  }
  return (finding->occurrences + 1) % kRecheckEvery == 0 ? Familiar::recheck : Familiar::yes;
}

/// After a step of confirming that has ended: the store holds what came of it.
void Daemon::go_on(store::ProgramRow program) {
  const Event event = further_event(program);
  step(std::move(program), event);
}

Event Daemon::further_event(const store::ProgramRow& program) const {
  return Further{.verdict = recorder_.told(program).whole.verdict};
}

}  // namespace parityd::agent
