#include "agent/daemon/findings/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "agent/daemon/findings/known.h"
#include "agent/daemon/program/variant.h"
#include "store/findings/known_issues.h"
#include "store/findings/queue.h"

namespace parityd::agent {
namespace {

/// For a confirmed reduced program: each of its rounds showed it.
void count_rounds(store::FindingRow& finding, const Observed& reduced) {
  finding.hits = finding.rounds = static_cast<int>(reduced.rounds.size());
}

}  // namespace

Recorder::Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed,
                   DispositionPolicy policy)
    : store_(store),
      observer_(store),
      same_cause_(store, observer_),
      draft_template_(std::move(draft_template)),
      seed_(seed),
      policy_(std::move(policy)) {}

bool Recorder::update_environment(const executor::Workers& pool, executor::GroupIndex group) {
  auto& known = environments_[group];
  if (!known.text.empty()) return true;
  const auto hello = pool.hello(group);
  if (!hello) return false;
  const auto& [id, text, features] = pool.environment(group);
  if (known.id != 0 && text.empty()) return false;
  const auto device = pool.config(group).device;
  known = {.torch = hello->torch,
           .python = hello->python,
           .device = std::string(name(device)),
           .device_name = hello->device_name(device),
           .sandbox = executor::description(hello->sandbox),
           .text = text};
  known.id = store_.environments.id_of(known);
  if (!text.empty()) store_.coverage.list(features);
  return !text.empty();
}

void Recorder::examined(const Examined& examined, store::Millis now) {
  store_.examinations.add({.program = examined.program,
                           .purpose = examined.what,
                           .round = examined.round,
                           .environment = environments_[examined.group].id,
                           .evidence = examined.evidence,
                           .verdict = examined.verdict,
                           .neutralisers = oracle::line(examined.neutralisers),
                           .worker_seconds = examined.seconds,
                           .at = now});
  const bool suspect = examined.verdict.verdict != oracle::VerdictKind::consistent &&
                       examined.verdict.verdict != oracle::VerdictKind::invalid;
  if (examined.what == Examination::screen && (suspect || !examined.trusted)) {
    store_.workers.set_history(examined.program, examined.history);
  }
}

void Recorder::moved(store::ProgramRow& program, const Move& move, store::Millis now) {
  program.state = move.state;
  program.next_step = move.next_step;
  program.why = move.why;
  program.confirmation_hits = move.confirmation_hits;
  program.confirmation_rounds = move.confirmation_rounds;
  if (move.verdict) program.verdict = move.verdict;
  if (move.state == store::ProgramState::finished) {
    program.finished_at = now;
    observer_.forget(program.id);
  }
  store_.programs.update(program);
  if (move.state_dependent) {
    store_.examinations.add_oddity(program.id, "state_dependent",
                                   "a warm worker saw a difference that fresh processes do not show", now);
  }
}

Recorder::Told Recorder::told(const store::ProgramRow& program) const {
  return told(program, observer_.of(program.id));
}

Recorder::Told Recorder::told(const store::ProgramRow& program, const Observations& all) const {
  const auto attribution = store_.reductions.attribution(program.id);
  const auto reduction = store_.reductions.find(program.id);
  Told told{.position = {.state = program.state,
                         .repair_round = program.round,
                         .confirmation_rounds = program.confirmation_rounds,
                         .confirmation_hits = program.confirmation_hits,
                         .stepped_over = !all.stepped_over.empty(),
                         .controls_ran = !all.controls.rounds.empty(),
                         .reduced = reduction.has_value(),
                         .final_rounds = static_cast<int>(all.final_confirmation.rounds.size()),
                         .final_hits = all.final_hits,
                         .stage_known = all.stages.has_value(),
                         .attributed = attribution.has_value(),
                         .residual_known = all.residual_known || (attribution && attribution->neutraliser.empty()),
                         .extent_known = store_.reductions.extent(program.id).has_value()},
            .whole = all.confirmation.shown,
            .stepped_over = all.stepped_over,
            .reduction = reduction,
            .trials = static_cast<int>(all.trials.size()),
            .trigger = {}};
  std::vector<bool> shown;
  for (const auto& row : all.trials) shown.push_back(oracle::shows(told.whole.verdict, row.verdict, row.evidence));
  const auto& options = told.reduction_holds() ? told.reduction->options_json : program.options_json;
  told.trigger = oracle::trigger_after(shown, has_settings(options));
  told.position.trigger_known = told.trigger.has_value();
  return told;
}

store::FindingRow Recorder::finding_row(const store::ProgramRow& program, const Move& move, const Observed& look,
                                        const Told& told, store::Millis now) const {
  const bool flaky = move.confirmation_hits < move.confirmation_rounds;
  const oracle::Trigger trigger = told.trigger && !flaky ? *told.trigger : oracle::Trigger::unknown;
  const auto& [verdict, evidence, stage] = look.shown;
  store::FindingRow finding;
  const auto attribution = store_.reductions.attribution(program.id).value_or(store::AttributionRow{});
  finding.neutraliser = attribution.neutraliser;
  finding.workaround = attribution.workaround;
  finding.extent = store_.reductions.extent(program.id).value_or(store::ExtentRow{}).sentence;
  finding.kind = verdict.kind.value_or(oracle::Kind::numerical);
  finding.signature = oracle::final_signature(look.shown, look.environment.device, attribution.neutraliser);
  finding.stage = stage;
  finding.trigger = trigger;
  finding.side = oracle::side_of(verdict, evidence).side;
  finding.explanation = verdict.explanation;
  finding.operators = store::operators_shown(evidence);
  finding.device = look.environment.device;
  finding.torch = look.environment.torch;
  finding.program = program.id;
  finding.environment = look.environment.id;
  finding.hits = move.confirmation_hits;
  finding.rounds = move.confirmation_rounds;
  finding.disposition = disposed(look.shown, finding, now);
  finding.next_step = store::next_step_of(finding.disposition);
  finding.why = move.why;
  finding.created_at = now;
  return finding;
}

Recorder::Recorded Recorder::add_finding(const store::ProgramRow& program, const Move& move, store::Millis now) {
  const Observations& all = observer_.of(program.id);
  const auto raw = all.raw_signature();
  const Told told = this->told(program, all);
  const bool reduced = all.reduction_confirmed();
  const Observed look = all.finding_look();
  store::FindingRow finding = finding_row(program, move, look, told, now);
  if (reduced) count_rounds(finding, look);
  finding.reduced = reduced ? told.reduction->text : program.text;
  const auto caught = oracle::signature_of_caught_error(look.shown, finding.reduced);
  finding.signature = reduced && caught ? *caught : finding.signature;
  finding.dtypes = store::dtypes_shown(look.shown.evidence, finding.reduced);
  finding.statements_before = told.reduction ? told.reduction->statements_before : 0;
  finding.statements = reduced ? told.reduction->statements : finding.statements_before;
  if (const auto home = same_cause_.home_of(finding, look.shown, reduced)) {
    store_.groups.add_occurrence(home->finding, program.id, home->why, now);
    store_.groups.set_blamed_pass(home->finding, program.id, finding.neutraliser, now);
    store_.findings.add_raw_signature(home->finding, *raw);
    return {.finding = home->finding, .is_new = false};
  }
  finding.id = keep(finding, now);
  store_.findings.add_raw_signature(finding.id, *raw);
  ask_known(finding, look);
  store_.groups.add_occurrence(finding.id, program.id, "the first", now);
  store_.groups.set_blamed_pass(finding.id, program.id, finding.neutraliser, now);
  if (const int issue = oracle::known_issue(finding.signature); issue != 0) note_known(finding.id, issue, now);
  return {.finding = finding.id, .is_new = true};
}

void Recorder::note_known(store::Id finding, int issue, store::Millis now) {
  store::TriageRow row;
  row.finding = finding;
  row.status = name(store::FindingStatus::known);
  row.issue = fmt::format("https://github.com/pytorch/pytorch/issues/{}", issue);
  row.note = "recognised by its measurements";
  row.at = now;
  if (const auto refused = store_.triage.decide(row)) throw std::logic_error(*refused);
}

oracle::Disposition Recorder::disposed(const oracle::Shown& shown, const store::FindingRow& finding,
                                       store::Millis now) const {
  return oracle::dispose(shown.verdict, shown.evidence, disposition_facts(store_, finding, policy_, now),
                         policy_.choices)
      .disposition;
}

std::optional<store::EvidenceRow> Recorder::confirming_round(store::Id program) const {
  const Observed look = observer_.of(program).finding_look();
  return look.shows ? std::optional(look.rounds.at(look.since)) : std::nullopt;
}

void Recorder::ask_known(const store::FindingRow& finding, const Observed& look) {
  store_.known.set_query(finding.id, store::known_query(look.shown, finding));
}

void Recorder::ask_known() {
  for (const store::Id id : store_.known.without_query()) {
    const auto finding = store_.findings.find(id).value();
    ask_known(finding, observer_.of(finding.program).finding_look());
  }
}

int Recorder::release_stale(store::Millis now) {
  if (known_is_stale(store_, now, policy_.known_max_age)) return 0;
  int released = 0;
  for (const auto& finding : store_.findings.list({.disposition = "held(stale)", .limit = 0})) {
    dispose_anew(finding, now);
    ++released;
  }
  return released;
}

void Recorder::dispose_anew(store::Id finding, store::Millis now) {
  dispose_anew(store_.findings.find(finding).value(), now);
}

void Recorder::dispose_anew(const store::FindingRow& finding, store::Millis now) {
  if (rests_with_a_person(finding.disposition)) return;
  const auto disposition = disposed(confirmed(finding.program), finding, now);
  store_.findings.set_disposition(finding.id, disposition, store::next_step_of(disposition));
}

std::vector<std::string> Recorder::sanitized(store::Id finding, store::Millis now) {
  dispose_anew(finding, now);
  return store_.inspections.sanitizer_words(finding);
}

void Recorder::set_torches(std::vector<std::string> torches, store::Millis now) {
  policy_.torches = std::move(torches);
  for (const char* const disposition : {"held(script)", "ready"}) {
    const bool ready = disposition == std::string_view("ready");
    for (const auto& finding : store_.findings.list({.disposition = disposition, .limit = 0})) {
      const bool shown = script_says(store_, finding, policy_) == oracle::ScriptRuns::shown;
      if (shown != ready) dispose_anew(finding, now);
    }
  }
}

void Recorder::add_recheck(const store::RecheckRow& row, store::Millis now) {
  store_.rechecks.add(row);
  dispose_anew(row.finding, now);
}

void Recorder::set_newest_torch(const std::string& torch, store::Millis now) {
  policy_.newest_torch = torch;
  for (const char* const disposition : {"held(untried)", "held(fixed)", "held(different)"}) {
    for (const auto& finding : store_.findings.list({.disposition = disposition, .limit = 0})) {
      dispose_anew(finding, now);
    }
  }
  if (!policy_.newest_configured) return;
  for (const auto& finding : store_.findings.list({.disposition = "ready", .limit = 0})) {
    if (newest_torch_says(store_, finding.id, policy_) != oracle::NewestTorch::shows) dispose_anew(finding, now);
  }
}

store::Id Recorder::add_split_finding(const store::FindingRow& from, const store::ProgramRow& program,
                                      store::Millis now) {
  const Observations& all = observer_.of(program.id);
  const auto reduction = all.reduction_confirmed() ? store_.reductions.find(program.id) : std::nullopt;
  const Observed look = all.finding_look();
  store::FindingRow finding = from;
  finding.signature.text += fmt::format(" (split from finding {})", from.id);
  finding.signature.hash +=
      fmt::format("/{}/{}", program.id, now);  // a signature that no program has: later occurrences go to `from`
  finding.stage = look.shown.stage;
  finding.reduced = reduction ? reduction->text : program.text;
  if (look.shows) finding.environment = look.environment.id;
  finding.program = program.id;
  finding.hits = program.confirmation_hits;
  finding.rounds = program.confirmation_rounds;
  if (reduction) count_rounds(finding, look);
  finding.status = store::FindingStatus::fresh;
  finding.operators = store::operators_shown(look.shown.evidence);
  finding.dtypes = store::dtypes_shown(look.shown.evidence, finding.reduced);
  finding.created_at = now;
  if (!look.shown.verdict.explanation.empty()) finding.explanation = look.shown.verdict.explanation;
  finding.why = fmt::format("split from finding {} by hand", from.id);
  if (finding.hits < from.hits) {
    finding.disposition = oracle::held("split");
    finding.next_step = "run its script to confirm it: `parityd repro`";
    finding.why += fmt::format(", confirmed in {} of {} rounds", finding.hits, from.rounds);
  }
  return keep(std::move(finding), now);
}

store::Id Recorder::keep(store::FindingRow finding, store::Millis now) {
  store::DraftRow draft = store::render_draft(store::draft_facts(store_, finding, seed_), draft_template_, now);
  finding.title = draft.title;
  draft.finding = store_.findings.add(finding);
  store_.drafts.set(draft);
  return draft.finding;
}

}  // namespace parityd::agent
