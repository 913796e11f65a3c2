#include "agent/daemon/program/reducer.h"

#include <algorithm>
#include <utility>

namespace parityd::agent {
namespace {

using executor::TimePoint;
using executor::UnreadLocals;
using oracle::Kind;
using oracle::Mode;

/// Minimum of simultaneous candidates per program while many programs are reduced: while one waits for the syntax
/// process, the other uses a worker.
constexpr int kFewestAtOnce = 2;

/// Parts of the compiler in which a trial may end before code is compiled, the cheapest first. An exported program is
/// packaged only as code.
std::vector<Mode> parts_of_compiler(Mode compiled) {
  std::vector<Mode> modes = oracle::modes_of(oracle::Look::stage);
  if (oracle::is_exported(compiled)) return modes;
  for (const Mode mode : oracle::modes_of(oracle::Look::trial)) modes.push_back(mode);
  return modes;
}

/// Whether the mode is the finding's known step; for the stage "inductor" the one that runs all of its passes.
bool is_known_step(Mode mode, oracle::Stage stage) {
  return oracle::name(mode) == oracle::name(stage) ||
         (oracle::row(mode).look == oracle::Look::trial && stage == oracle::Stage::inductor);
}

/// A mode that may kill the worker must run alone.
bool runs_in_parts(Kind kind) { return kind != Kind::crash && kind != Kind::hang; }

std::vector<Mode> whole_modes(Mode compiled, bool in_parts) {
  std::vector<Mode> modes{Mode::eager};
  if (in_parts) {
    for (const Mode mode : parts_of_compiler(compiled)) modes.push_back(mode);
  }
  modes.push_back(compiled);
  return modes;
}

/// The first part of the compiler that alone shows what the whole program showed. Values that differ at another step
/// than the known one may differ for another reason.
std::optional<oracle::Shown> shown_early(const oracle::Shown& whole, oracle::Evidence evidence) {
  const Kind kind = whole.verdict.kind.value_or(Kind::numerical);
  for (const Mode mode : parts_of_compiler(evidence.compiled)) {
    evidence.compiled = mode;
    oracle::Shown shown{.verdict = oracle::screen(evidence), .evidence = evidence, .stage = whole.stage};
    const bool alike = shown.verdict.verdict == oracle::VerdictKind::inconsistent && shown.verdict.kind == kind;
    const bool same_step = oracle::fails(kind) ? !oracle::why_another(whole, shown) : is_known_step(mode, whole.stage);
    const bool counts = kind == Kind::missing_check || same_step;
    if (alike && counts) return shown;
  }
  return std::nullopt;
}

oracle::ReductionOffer offer_of(const executor::ReductionEdit& edit) {
  return {.id = edit.id,
          .family = edit.family,
          .style = oracle::from_name<oracle::ReductionStyle>(edit.style).value_or(oracle::ReductionStyle::choose)};
}

}  // namespace

void Reducer::begin(const Subject& subject, oracle::Shown shown, std::set<std::string> failed, TimePoint now) {
  const store::Id id = subject.program;
  Work& work = works_[id];
  work.subject = subject;
  work.shown = std::move(shown);
  work.failed = std::move(failed);
  work.in_parts = runs_in_parts(work.shown.verdict.kind.value_or(Kind::numerical));
  ask_tidied(work, now);
}

Reducer::Work* Reducer::work_of(store::Id program) {
  const auto found = works_.find(program);
  return found == works_.end() ? nullptr : &found->second;
}

void Reducer::ask_tidied(Work& work, TimePoint now) {
  work.phase = Phase::tidying;
  work.asked += 1;
  syntax_.reduced(work.subject.text, "[]", {}, work.unread_locals,
                  [this, id = work.subject.program, now](const Syntax& text) { tidied(id, text, now); });
}

/// Unused code is removed first, without a trial: the next trial checks the result.
void Reducer::tidied(store::Id program, const Syntax& text, TimePoint now) {
  Work* const work = work_of(program);
  if (work == nullptr) return;
  work->asked = 0;
  if (!text) {
    work->whole = {.program = work->subject.text, .options_json = work->subject.options_json};
    finish(*work, "it cannot be parsed for reduction: " + text.error().message);
    return;
  }
  work->whole = {.program = text->program,
                 .options_json = text->options_text,
                 .statements = text->statements,
                 .lines = text->lines};
  work->statements_before = text->statements;
  if (work->shown.verdict.kind == Kind::hang) {
    finish(*work, "a hang is not reduced: each trial would take the full time limit");
    return;
  }
  work->phase = Phase::probing;
  const Trial probe{.text = work->whole, .look = Look::whole};
  if (work->failed.contains(work->whole.program)) {
    judged(*work, probe, false, now);
  } else {
    begin_trial(*work, probe, now);
  }
}

void Reducer::begin_trial(Work& work, Trial trial, TimePoint now) {
  work.trials += 1;
  run(work, std::move(trial), now);
}

void Reducer::run(Work& work, Trial trial, TimePoint now) {
  const Mode compiled = compiled_mode(trial.text.options_json);
  const Kind kind = work.shown.verdict.kind.value_or(Kind::numerical);
  Subject smaller = work.subject;
  smaller.text = trial.text.program;
  smaller.options_json = trial.text.options_json;
  const int number = work.next_trial++;
  auto modes = [&]() -> std::vector<Mode> {
    switch (trial.look) {
      case Look::whole:
        return whole_modes(compiled, work.in_parts);
      case Look::early:
        return {Mode::eager, work.early->evidence.compiled};
      case Look::compiled:
        return {Mode::eager, compiled};
      case Look::controls:
        return control_modes(kind, compiled);
    }
    return {};
  }();
  work.running[number] = std::move(trial);
  examiner_.candidate(smaller, number, std::move(modes), now);
}

oracle::Shown Reducer::shown_by(const Work& work, const Trial& trial, const oracle::Evidence& evidence) {
  oracle::Shown shown{.verdict = {}, .evidence = evidence, .stage = work.shown.stage};
  if (trial.look == Look::early) shown.evidence.compiled = work.early->evidence.compiled;
  const bool controls = trial.look == Look::controls;
  shown.verdict = controls ? oracle::judge(shown.evidence) : oracle::screen(shown.evidence);
  if (controls && work.shown.verdict.kind != Kind::missing_check) {
    shown.stage = oracle::first_differing_stage(shown.evidence, shown.verdict);
  }
  return shown;
}

bool Reducer::shows(Work& work, Look look, const oracle::Shown& shown) {
  if (!oracle::why_another(look == Look::early ? *work.early : work.shown, shown)) return true;
  const auto differs = [](const oracle::Verdict& verdict) {
    return verdict.kind && oracle::results_differ(*verdict.kind);
  };
  const bool may_show = differs(work.shown.verdict) && differs(shown.verdict);
  if (look == Look::whole) work.two_modes_tell = !may_show;
  return may_show && !work.two_modes_tell && look != Look::controls;
}

std::optional<Reducer::Look> Reducer::next_look(const Work& work, Look look) {
  const bool fails = oracle::fails(work.shown.verdict.kind.value_or(Kind::numerical));
  if (look == Look::controls || (fails && look != Look::early)) return std::nullopt;
  return fails ? Look::compiled : Look::controls;
}

void Reducer::on_result(const Examined& examined, TimePoint now) {
  Work* const work = work_of(examined.program);
  const auto found = work == nullptr ? std::map<int, Trial>::iterator{} : work->running.find(examined.round);
  if (work == nullptr || found == work->running.end()) return;
  Trial trial = std::move(found->second);
  work->running.erase(found);
  work->seconds += examined.seconds;
  if (trial.look == Look::whole && examined.died && work->in_parts) {
    work->in_parts = false;
    return run(*work, std::move(trial), now);  // nothing is known about the other modes
  }
  const auto shown = shown_by(*work, trial, examined.evidence);
  const bool shows = examined.harness_failure.empty() && Reducer::shows(*work, trial.look, shown);
  if (!examined.values.empty()) trial.text.values = examined.values;
  if (shows && trial.look == Look::whole) work->early = shown_early(work->shown, examined.evidence);
  if (const auto next = shows ? next_look(*work, trial.look) : std::nullopt) {
    trial.look = *next;
    run(*work, std::move(trial), now);
    return;
  }
  judged(*work, trial, shows, now);
}

void Reducer::judged(Work& work, const Trial& trial, bool shows, TimePoint now) {
  if (shows) {
    work.shown_texts[trial.text.program] = trial.text;
  } else if (work.failed.insert(trial.text.program).second) {
    failed_[work.subject.program].push_back(trial.text.program);
  }
  if (work.phase == Phase::searching) {
    work.search->told(trial.candidate, shows, trial.text.program);
  } else if (shows) {
    work.phase = Phase::searching;
    work.search.emplace(trial.text.program);
  } else if (work.unread_locals == UnreadLocals::go) {
    work.unread_locals = UnreadLocals::stay;  // one of them may be what raises
    ask_tidied(work, now);
  } else {
    work.phase = Phase::finishing;  // a warm worker does not show it; send_trials() ends it
  }
}

void Reducer::send_trials(TrialRoom& room, TimePoint now) {
  std::vector<store::Id> all;
  struct Group {
    int works = 0, trials = 0;
  };
  std::map<executor::GroupIndex, Group> groups;
  for (const auto& [id, work] : works_) {
    all.push_back(id);
    Group& group = groups[work.subject.group];
    group.works += 1;
    group.trials += static_cast<int>(work.running.size()) + work.asked;
    room.reserve(work.subject.group, work.asked);
  }
  const auto most = [&, places = room](executor::GroupIndex index) {
    const Group& group = groups.at(index);
    return std::max(kFewestAtOnce, (places.left(index) + group.trials + group.works - 1) / group.works);
  };
  for (const store::Id id : all) {
    Work& work = works_.at(id);
    if (work.seconds > limits_.worker_seconds || work.trials > limits_.trials) {
      finish(work, "the time limit was reached");
    } else if (work.phase == Phase::finishing && work.running.empty()) {
      finish(work, "a warm worker does not show it");
    } else if (work.phase == Phase::searching) {
      search(work, room, most(work.subject.group), now);
    }
  }
}

/// Candidates after the first are guesses that assume the earlier ones fail; a program has at most `most` of them.
void Reducer::search(Work& work, TrialRoom& room, int most, TimePoint now) {
  if (work.search->done()) {
    finish(work, "nothing more can be removed");
    return;
  }
  if (work.search->wants_offers()) {
    ask_offers(work);
    return;
  }
  const int candidates = std::min(most, work.search->in_flight() + room.left(work.subject.group));
  for (const auto& candidate : work.search->next(candidates)) {
    room.reserve(work.subject.group, 1);
    ask_text(work, candidate, now);
  }
}

void Reducer::ask_offers(Work& work) {
  if (work.waiting_for_offers) return;
  work.waiting_for_offers = true;
  const Text& best = work.shown_texts.at(work.search->best());
  syntax_.reductions(best.program, best.values, [this, id = work.subject.program](const auto& edits) {
    Work* const found = work_of(id);
    if (found == nullptr || !found->search) return;
    found->waiting_for_offers = false;
    std::vector<oracle::ReductionOffer> offers;
    if (edits) std::transform(edits->edits.begin(), edits->edits.end(), std::back_inserter(offers), offer_of);
    found->search->offered(offers);
  });
}

void Reducer::ask_text(Work& work, const oracle::Reduction::Candidate& candidate, TimePoint now) {
  const Text& best = work.shown_texts.at(work.search->best());
  work.asked += 1;
  syntax_.reduced(best.program, best.values, candidate.ids, work.unread_locals,
                  [this, id = work.subject.program, number = candidate.number, now](const Syntax& text) {
                    answered(id, number, text, now);
                  });
}

void Reducer::answered(store::Id program, int candidate, const Syntax& text, TimePoint now) {
  Work* const work = work_of(program);
  if (work == nullptr || !work->search) return;
  work->asked -= 1;
  if (!work->search->waits_for(candidate)) return;
  if (!text || work->failed.contains(text->program) || text->program == work->search->best()) {
    work->search->told(candidate, false, text ? text->program : "");
    return;
  }
  if (work->shown_texts.contains(text->program)) {
    work->search->told(candidate, true, text->program);
    return;
  }
  Text smaller{.program = text->program,
               .options_json = text->options_text,
               .statements = text->statements,
               .lines = text->lines};
  begin_trial(*work,
              {.candidate = candidate, .text = std::move(smaller), .look = work->early ? Look::early : Look::compiled},
              now);
}

/// Formats the last text consistently; layout does not change what runs.
void Reducer::finish(Work& work, const std::string& why) {
  const Text* best = &work.whole;
  if (work.search) best = &work.shown_texts.at(work.search->best());
  store::ReductionRow done{.program = work.subject.program,
                           .text = best->program,
                           .options_json = best->options_json,
                           .statements_before = work.statements_before,
                           .statements = best->statements,
                           .lines = best->lines,
                           .trials = work.trials,
                           .seconds = work.seconds,
                           .why = why};
  const UnreadLocals unread_locals = work.unread_locals;
  works_.erase(done.program);
  const std::string text = done.text;
  syntax_.plain(text, unread_locals, [this, done = std::move(done)](const Syntax& plain) mutable {
    if (plain) {
      done.text = plain->program;
      done.lines = plain->lines;
    }
    const store::Id program = done.program;
    finished_.insert_or_assign(program, std::move(done));
  });
}

std::optional<store::ReductionRow> Reducer::take_finished(store::Id program) {
  auto finished = finished_.extract(program);
  return finished.empty() ? std::nullopt : std::optional(std::move(finished.mapped()));
}

std::vector<std::string> Reducer::take_failed(store::Id program) {
  auto failed = failed_.extract(program);
  return failed.empty() ? std::vector<std::string>{} : std::move(failed.mapped());
}

}  // namespace parityd::agent
