#include "agent/daemon/confirming.h"

#include <chrono>

#include "agent/daemon/life/steps.h"
#include "executor/pool/pool.h"

namespace parityd::agent {
namespace {

constexpr int kFewWorkers = 2;
/// With more, programs would be confirmed faster than the share allows reducing them.
constexpr int kShownForOneReduced = 2;
constexpr std::chrono::minutes kFirstShown{5};  // then new programs no longer wait

}  // namespace

Confirming::Confirming(Workshop& shop, Programs& programs, const Queue& queue)
    : shop_(shop), programs_(programs), queue_(queue), none_found_(shop.turn.store.findings.times().empty()) {}

void Confirming::resume(const store::ProgramRow& program) {
  ProgramTask& task = programs_.task(program.id);
  if (program.confirmation_rounds > 0) return programs_.wait_for_confirmation(task, true);
  task.where = ProgramTask::Where::under_way;
  resumed_.emplace_back(program.id, seen_on(shop_.turn.store, program.id));
}

bool Confirming::first_is_shown_soon() const {
  const Turn& turn = shop_.turn;
  if (!none_found_ || turn.session.findings > 0 || turn.options.drain || turn.now - turn.started > kFirstShown) {
    return false;
  }
  int workers = 0, suspects = 0, shown = 0;
  for (executor::GroupIndex group = 0; group < turn.pool.groups(); ++group) {
    workers += turn.pool.config(group).warm_workers;
    suspects += shop_.suspects.confirming(group, Suspects::Place::first);
    shown += shop_.suspects.confirming(group, Suspects::Place::shown) +
             shop_.suspects.confirming(group, Suspects::Place::reducing);
  }
  return workers <= kFewWorkers && suspects > 0 && shown == 0;
}

bool Confirming::may_confirm(executor::GroupIndex group) const {
  return shop_.share.may_confirm(group, queue_.takes_all(group));
}

TrialRoom Confirming::trial_room() const {
  std::vector<int> places;
  for (executor::GroupIndex group = 0; group < shop_.turn.pool.groups(); ++group) {
    places.push_back(may_confirm(group) ? shop_.turn.pool.config(group).warm_workers : 0);
  }
  return shop_.examiner.trial_room(std::move(places));
}

void Confirming::start_confirmations() {
  while (const auto excess = shop_.suspects.take_excess()) {
    programs_.step(programs_.task(*excess),
                   SetAside{"set aside: too many suspects are waiting, most of them with this signature"});
  }
  place_resumed();
  for (executor::GroupIndex group = 0; group < shop_.turn.tested; ++group) begin(group);
}

/// First rounds have places of their own: they are short, and a suspect behind a reduction would otherwise wait
/// although its result could be known by then.
void Confirming::begin(executor::GroupIndex group) {
  const int workers = shop_.turn.pool.config(group).warm_workers;
  const int most = shop_.share.at_once(workers, queue_.takes_all(group));
  Suspects& suspects = shop_.suspects;
  const auto confirms_here = [&](const SeenOn& seen) { return confirms(group, seen); };
  while (suspects.confirming(group, Suspects::Place::reducing) < most && may_confirm(group)) {
    const auto next = suspects.take_shown(group, confirms_here);
    if (!next) break;
    take_up(*next, group);
  }
  while (suspects.confirming(group, Suspects::Place::first) < most &&
         suspects.confirming(group, Suspects::Place::shown) < most * kShownForOneReduced && may_confirm(group)) {
    const auto next = suspects.pop(group, confirms_here);
    if (!next) break;
    begin(programs_.task(*next), group);
  }
}

void Confirming::begin(ProgramTask& task, executor::GroupIndex group) {
  task.group = group;
  task.row.next_step = "neutralisers of the nearest findings, then confirmation";
  shop_.turn.store.programs.update(task.row);
  try_known(task);
}

/// While it waited, another program with its signature may have become a finding.
void Confirming::try_known(ProgramTask& task) {
  task.tried_findings = shop_.turn.findings_changes;
  const auto verdict = shop_.recorder.suspected(task.row.id).verdict;
  switch (shop_.recorder.same_cause().familiar(task.row.id, verdict)) {
    case Familiar::yes:
      return programs_.step(task, ControlsRan{.verdict = verdict, .familiar = Familiar::yes});
    case Familiar::recheck:  // the whole program: no finding's neutraliser explains it
      return programs_.step(task, KinTried{.verdict = verdict});
    case Familiar::no:
      return programs_.begin(task, try_known_causes(shop_));
  }
}

/// The environment of a group's workers; nullopt until one of them has reported it.
std::optional<SeenOn> Confirming::runs_on(executor::GroupIndex group) const {
  const auto hello = shop_.turn.pool.hello(group);
  if (!hello) return std::nullopt;
  const auto device = shop_.turn.pool.config(group).device;
  return SeenOn{.torch = hello->torch,
                .python = hello->python,
                .device = std::string(name(device)),
                .device_name = hello->device_name(device)};
}

/// A group whose workers do not start leaves its suspects to similar groups.
bool Confirming::confirms(executor::GroupIndex group, const SeenOn& seen) const {
  if (shop_.turn.pool.broken(group)) return false;
  return runs_on(group) == seen || stand_in(seen) == group;
}

/// The group that confirms suspects of an environment that no longer exists: the first with the same device, or the
/// first of all if none has it. Nullopt while a group of that device has not reported its environment: the suspects
/// wait until it starts.
std::optional<executor::GroupIndex> Confirming::stand_in(const SeenOn& seen) const {
  std::optional<executor::GroupIndex> first, alike;
  bool device_gone = true;
  for (executor::GroupIndex group = 0; group < shop_.turn.tested; ++group) {
    const auto there = runs_on(group);
    const bool such_a_device = shop_.turn.device_of(group) == seen.device;
    if (there == seen || (such_a_device && !there)) return std::nullopt;
    device_gone = device_gone && !such_a_device;
    if (!there || shop_.turn.pool.broken(group)) continue;
    if (!first) first = group;
    if (!alike && such_a_device) alike = group;
  }
  return device_gone ? first : alike;
}

/// Assigns them to the group with the fewest programs among those like the one that saw them.
void Confirming::place_resumed() {
  for (auto& [id, seen] : std::exchange(resumed_, {})) {
    std::optional<executor::GroupIndex> least;
    for (executor::GroupIndex group = 0; group < shop_.turn.tested; ++group) {
      const bool fewer = !least || programs_.placed(group) < programs_.placed(*least);
      if (confirms(group, seen) && fewer) least = group;
    }
    if (least) {
      take_up(id, *least);
    } else {
      resumed_.emplace_back(id, std::move(seen));
    }
  }
}

/// Continues where a restart interrupted it, or where it waited. Meanwhile there may be findings that it belongs to.
void Confirming::take_up(store::Id program, executor::GroupIndex group) {
  ProgramTask& task = programs_.task(program);
  task.group = group;
  const auto told = shop_.recorder.told(task.row);
  const bool waited = task.row.confirmation_rounds > 0 && !told.reduction;
  if (waited && task.tried_findings != shop_.turn.findings_changes) return try_known(task);
  programs_.step(task, Begin{.verdict = told.whole.verdict});
}

}  // namespace parityd::agent
