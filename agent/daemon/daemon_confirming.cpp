// The daemon's confirming: what suspects go through from the closer look to their finding.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/daemon/daemon.h"

namespace parityd::agent {
namespace {

/// DESIGN §3: every 50th occurrence goes through the whole gate, to keep the grouping honest.
constexpr store::Id kRecheckEvery = 50;

}  // namespace

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
  auto told = recorder_.told(program);
  const auto subject = confirmed_subject(program, told);
  const auto effect = [&]() -> std::function<void()> {
    switch (action) {
      case Action::reduce: {
        auto failed = parts_.store.failed_trials(program.id);
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
      default:
        return [this, subject, number = told.trials + 1] { examiner_.reach(subject, number, now_); };
    }
  }();
  active_[program.id] = std::move(program);
  outbox_.push_back(effect);
}

/// What the screen saw; the whole look where it saw nothing that counts.
oracle::Kind Daemon::suspected_kind(store::Id program) const {
  auto kind = oracle::Kind::numerical;
  for (const auto& row : parts_.store.evidence_of(program)) {
    if (row.purpose == name(Examination::screen) && row.verdict.kind) {
      kind = *row.verdict.kind;
    }
  }
  return kind;
}

/// Suspects go to the gate as far as confirming's share of the workers' time allows, novel signatures first.
void Daemon::begin_suspects() {
  int room = 0;
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    room += parts_.pool.config(group).warm_workers;
  }
  while (const auto excess = suspects_.take_excess()) {
    store::ProgramRow program = std::move(active_.at(*excess));
    active_.erase(*excess);
    step(std::move(program), SetAside{"set aside: too many suspects wait, most of them with this signature"});
  }
  while (suspects_.in_gate() < room && share_.may_confirm(programs_wait())) {
    const auto next = suspects_.take();
    if (!next) {
      return;
    }
    store::ProgramRow& program = active_.at(*next);
    if (const auto known = found_meanwhile(program)) {
      store::ProgramRow same = std::move(program);
      active_.erase(*next);
      step(std::move(same), *known);
      continue;
    }
    store::ProgramRow row = std::move(program);
    active_.erase(*next);
    row.next_step = "neutralisers of the nearest findings, then the gate";
    parts_.store.update_program(row);
    begin_kinship(std::move(row));
  }
}

/// While it waited, another of its signature may have become a finding.
std::optional<Event> Daemon::found_meanwhile(const store::ProgramRow& program) const {
  for (const auto& row : parts_.store.evidence_of(program.id)) {
    if (row.purpose == name(Examination::closer)) {
      const Examined looked{.program = program.id, .verdict = row.verdict};
      const Familiar known = familiar(program.id, looked);
      return known == Familiar::yes ? std::optional(LookedCloser{.verdict = row.verdict, .familiar = known})
                                    : std::nullopt;
    }
  }
  return std::nullopt;
}

/// For a worker: what a provider has not answered yet waits for nobody.
bool Daemon::programs_wait() const {
  return std::any_of(queued_.begin(), queued_.end(),
                     [&](const auto& program) { return program.round > 0 || may_take_first_program(); });
}

void Daemon::take_reduced() {
  for (const auto& trial : reducer_.take_failed()) {
    parts_.store.add_failed_trial(trial.program, trial.text);
  }
  for (const auto& reduced : reducer_.take_finished()) {
    const auto found = active_.find(reduced.program);
    if (found == active_.end()) {
      continue;
    }
    store::ProgramRow program = std::move(found->second);
    active_.erase(found);
    parts_.store.set_reduction({.program = reduced.program,
                                .text = reduced.text,
                                .options_json = reduced.options_json,
                                .statements_before = reduced.statements_before,
                                .statements = reduced.statements,
                                .lines = reduced.lines,
                                .trials = reduced.trials,
                                .seconds = reduced.seconds,
                                .why = reduced.why,
                                .at = wall_});
    const Event event = further_event(program);
    step(std::move(program), event);
  }
}

Familiar Daemon::familiar(store::Id program, const Examined& examined) const {
  if (examined.verdict.verdict != oracle::VerdictKind::inconsistent) {
    return Familiar::no;
  }
  const auto finding = parts_.store.finding_by_raw_signature(recorder_.raw_signature(program)->hash);
  if (!finding) {
    return Familiar::no;
  }
  return (finding->occurrences + 1) % kRecheckEvery == 0 ? Familiar::recheck : Familiar::yes;
}

Event Daemon::further_event(const store::ProgramRow& program) const {
  return Further{.verdict = recorder_.told(program).whole.verdict};
}

}  // namespace parityd::agent
