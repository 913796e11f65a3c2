#include "agent/daemon/reducer.h"

#include <algorithm>
#include <utility>

namespace parityd::agent {
namespace {

using executor::TimePoint;
using oracle::Kind;
using oracle::Mode;

oracle::ReductionOffer offer_of(const executor::ReductionEdit& edit) {
  return {.id = edit.id,
          .family = edit.family,
          .style = oracle::reduction_style_from_name(edit.style).value_or(oracle::ReductionStyle::choose)};
}

}  // namespace

void Reducer::begin(const Subject& subject, oracle::Shown shown, std::set<std::string> failed, TimePoint now) {
  const store::Id id = subject.program;
  Work& work = works_[id];
  work.subject = subject;
  work.shown = std::move(shown);
  work.failed = std::move(failed);
  work.asked = 1;
  syntax_.reduced(subject.text, "[]", {}, [this, id, now](const Syntax& text) { tidied(id, text, now); });
}

Reducer::Work* Reducer::work_of(store::Id program) {
  const auto found = works_.find(program);
  return found == works_.end() ? nullptr : &found->second;
}

/// What nothing uses goes first, untried: the trial that follows looks at the result.
void Reducer::tidied(store::Id program, const Syntax& text, TimePoint now) {
  Work* const work = work_of(program);
  if (work == nullptr) return;
  work->asked = 0;
  if (!text) {
    work->whole = {.program = work->subject.text, .options_json = work->subject.options_json};
    finish(*work, "it cannot be taken apart: " + text.error().message);
    return;
  }
  work->whole = {.program = text->program,
                 .options_json = text->options_text,
                 .statements = text->statements,
                 .lines = text->lines};
  work->statements_before = text->statements;
  if (work->shown.verdict.kind == Kind::hang) {
    finish(*work, "a hang is not reduced: each trial would take its deadline");
    return;
  }
  work->phase = Phase::probing;
  run(*work, {.text = work->whole}, false, now);
}

void Reducer::run(Work& work, Trial trial, bool closer, TimePoint now) {
  const Mode compiled = compiled_mode(trial.text.options_json);
  const Kind kind = work.shown.verdict.kind.value_or(Kind::numerical);
  Subject smaller = work.subject;
  smaller.text = trial.text.program;
  smaller.options_json = trial.text.options_json;
  const int number = work.next_trial++;
  trial.closer = closer;
  work.trials += closer ? 0 : 1;
  work.running[number] = std::move(trial);
  examiner_.candidate(smaller, number, closer ? closer_modes(kind, compiled) : std::vector<Mode>{Mode::eager, compiled},
                      now);
}

void Reducer::take(const Examined& examined, TimePoint now) {
  Work* const work = work_of(examined.program);
  const auto found = work == nullptr ? std::map<int, Trial>::iterator{} : work->running.find(examined.round);
  if (work == nullptr || found == work->running.end()) return;
  Trial trial = std::move(found->second);
  work->running.erase(found);
  work->seconds += examined.seconds;
  const Kind kind = work->shown.verdict.kind.value_or(Kind::numerical);
  oracle::Shown shown{.verdict = {}, .evidence = examined.evidence, .stage = work->shown.stage};
  shown.verdict = trial.closer ? oracle::judge(shown.evidence) : oracle::screen(shown.evidence);
  if (trial.closer && kind != Kind::missing_check) {
    shown.stage = oracle::first_differing_stage(shown.evidence, shown.verdict);
  }
  const bool shows = examined.harness_failure.empty() && !oracle::why_another(work->shown, shown);
  if (!examined.values.empty()) trial.text.values = examined.values;
  if (shows && !trial.closer && !oracle::fails(kind)) {
    run(*work, std::move(trial), true, now);
    return;
  }
  judged(*work, trial, shows);
}

void Reducer::judged(Work& work, const Trial& trial, bool shows) {
  if (shows) {
    work.shown_texts[trial.text.program] = trial.text;
  } else if (work.failed.insert(trial.text.program).second) {
    failed_.push_back({.program = work.subject.program, .text = trial.text.program});
  }
  if (work.phase == Phase::searching) {
    work.search->told(trial.candidate, shows, trial.text.program);
  } else if (shows) {
    work.phase = Phase::searching;
    work.search.emplace(trial.text.program);
  } else {
    work.phase = Phase::finishing;  // a warm worker does not show it: service() ends it
  }
}

int Reducer::running() const {
  int sum = 0;
  for (const auto& [id, work] : works_) sum += static_cast<int>(work.running.size()) + work.asked;
  return sum;
}

void Reducer::service(int room, TimePoint now) {
  std::vector<store::Id> all;
  for (const auto& [id, work] : works_) all.push_back(id);
  for (const store::Id id : all) {
    Work& work = works_.at(id);
    if (work.seconds > limits_.worker_seconds || work.trials > limits_.trials) {
      finish(work, "its time is up");
    } else if (work.phase == Phase::finishing && work.running.empty()) {
      finish(work, "a warm worker does not show it");
    } else if (work.phase == Phase::searching) {
      search(work, room, now);
    }
  }
}

void Reducer::search(Work& work, int room, TimePoint now) {
  if (work.search->done()) {
    finish(work, "nothing more can go");
    return;
  }
  if (work.search->wants_offers()) {
    ask_offers(work);
    return;
  }
  const int own = static_cast<int>(work.running.size()) + work.asked;
  const int free = std::max(0, room - running());
  for (const auto& candidate : work.search->next(own + free)) ask_text(work, candidate, now);
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
  syntax_.reduced(best.program, best.values, candidate.ids,
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
  run(*work, {.candidate = candidate, .text = std::move(smaller)}, false, now);
}

/// The last text once more in one layout; a change of layout changes nothing that runs.
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
  works_.erase(done.program);
  const std::string text = done.text;
  syntax_.plain(text, [this, done = std::move(done)](const Syntax& plain) mutable {
    if (plain) {
      done.text = plain->program;
      done.lines = plain->lines;
    }
    finished_.push_back(std::move(done));
  });
}

std::vector<store::ReductionRow> Reducer::take_finished() { return std::exchange(finished_, {}); }

std::vector<FailedTrial> Reducer::take_failed() { return std::exchange(failed_, {}); }

}  // namespace parityd::agent
