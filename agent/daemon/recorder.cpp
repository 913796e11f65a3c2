#include "agent/daemon/recorder.h"

#include <fmt/format.h>

#include "agent/daemon/known.h"
#include "agent/daemon/variant.h"
#include "oracle/disposition.h"

namespace parityd::agent {
namespace {

constexpr std::string_view kGate = "gate";
constexpr std::string_view kLadder = "ladder";
constexpr std::string_view kReach = "reach";

std::string next_step_of(const oracle::Disposition& disposition) {
  switch (disposition.klass) {
    case oracle::Disposition::Class::ready:
      return "read the draft, check it yourself, file it";
    case oracle::Disposition::Class::umbrella:
      return fmt::format("add it to issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::held:
      if (disposition.umbrella_issue != 0) {
        return fmt::format("eager's own bug: add it to issue {}", disposition.umbrella_issue);
      }
      if (disposition.reason == "eager") {
        return "eager's own bug: file it with the general bug form";
      }
      if (disposition.reason == "stale") {
        return "bring the known issues up to date: `parityd known sync` or `parityd known import FILE`";
      }
      return "none until the reason it is held for changes";
  }
  return {};
}

int severity_of(const oracle::Disposition& disposition) {
  return disposition.klass == oracle::Disposition::Class::ready ? disposition.severity : 0;
}

}  // namespace

Recorder::Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed, Policy policy)
    : store_(store), draft_template_(std::move(draft_template)), seed_(seed), policy_(std::move(policy)) {}

void Recorder::set_environment(executor::GroupIndex group, const store::EnvironmentRow& environment) {
  auto& known = environments_[group];
  known = environment;
  known.id = store_.environment(known);
}

const store::EnvironmentRow& Recorder::environment(executor::GroupIndex group) const {
  static const store::EnvironmentRow unknown;
  const auto known = environments_.find(group);
  return known == environments_.end() ? unknown : known->second;
}

void Recorder::examined(const Examined& examined, store::Millis now) {
  store_.add_evidence({.program = examined.program,
                       .purpose = std::string(name(examined.what)),
                       .round = examined.round,
                       .environment = environment(examined.group).id,
                       .evidence = examined.evidence,
                       .verdict = examined.verdict,
                       .worker_seconds = examined.seconds,
                       .at = now});
  const bool suspect = examined.verdict.verdict != oracle::VerdictKind::consistent &&
                       examined.verdict.verdict != oracle::VerdictKind::invalid;
  if (examined.what == Examination::screen && (suspect || !examined.trusted)) {
    store_.set_worker_history(examined.program, examined.history);
  }
}

void Recorder::moved(store::ProgramRow& program, const Move& move, store::Millis now) {
  program.state = move.state;
  program.next_step = move.next_step;
  program.why = move.why;
  program.gate_hits = move.gate_hits;
  program.gate_rounds = move.gate_rounds;
  if (move.verdict) {
    program.verdict = move.verdict;
  }
  if (move.state == store::ProgramState::finished) {
    program.finished_at = now;
  }
  store_.update_program(program);
  if (move.state_dependent) {
    store_.add_oddity(program.id, "state_dependent", "a warm worker saw a difference that fresh processes do not show",
                      now);
  }
}

Recorder::Shown Recorder::shown(store::Id program) const {
  Shown shown;
  bool found = false;
  for (auto& row : store_.evidence_of(program)) {
    if (row.purpose == kLadder) {
      shown.ladder = row.evidence;
    } else if (row.purpose == kReach) {
      shown.trials.push_back(oracle::shows(shown.verdict, row.verdict, row.evidence));
    } else if (row.purpose == kGate) {
      if (!found && row.verdict.verdict == oracle::VerdictKind::inconsistent) {
        shown.gate = row.evidence;
        shown.verdict = row.verdict;
        shown.environment = store_.environment(row.environment).value_or(store::EnvironmentRow{});
        found = true;
      }
      shown.rounds.push_back(std::move(row));
    }
  }
  if (shown.ladder) {
    shown.stage = oracle::first_differing_stage(*shown.ladder, shown.verdict);
  }
  return shown;
}

Recorder::Told Recorder::told(const store::ProgramRow& program) const {
  const Shown known = shown(program.id);
  return {.finding = known.verdict,
          .stage_known = known.ladder.has_value(),
          .trials = static_cast<int>(known.trials.size()),
          .reach = oracle::reach_after(known.trials, has_settings(program.options_json))};
}

oracle::Signature Recorder::signature(store::Id program, oracle::Stage stage) const {
  const Shown known = shown(program);
  return oracle::raw_signature(known.verdict, known.gate, stage, known.environment.device);
}

Recorder::Recorded Recorder::add_finding(const store::ProgramRow& program, const Move& move, const std::string& reduced,
                                         store::Millis now) {
  Shown known = shown(program.id);
  const auto signature = oracle::raw_signature(known.verdict, known.gate, known.stage, known.environment.device);
  if (const auto existing = store_.finding_by_signature(signature.hash)) {
    add_occurrence(existing->id, program, "same raw signature, confirmed through the gate", now);
    return {.finding = existing->id, .is_new = false};
  }
  const bool flaky = move.gate_hits < move.gate_rounds;
  const auto tried = flaky ? std::nullopt : oracle::reach_after(known.trials, has_settings(program.options_json));
  const auto reach = tried.value_or(oracle::Reach::unknown);
  const auto disposition = disposed(known, flaky, reach, now);
  store::FindingRow finding;
  finding.signature = signature;
  finding.kind = known.verdict.kind.value_or(oracle::Kind::numerical);
  finding.stage = known.stage;
  finding.disposition = disposition.text();
  finding.severity = severity_of(disposition);
  finding.reach = reach;
  finding.side = oracle::side_of(known.verdict, known.gate).side;
  finding.reduced = reduced;
  finding.explanation = known.verdict.explanation;
  finding.device = known.environment.device;
  finding.torch = known.environment.torch;
  finding.program = program.id;
  finding.environment = known.environment.id;
  finding.hits = move.gate_hits;
  finding.rounds = move.gate_rounds;
  finding.next_step = next_step_of(disposition);
  finding.why = move.why;
  finding.created_at = now;

  store::DraftRow draft = store::render_draft({.finding = finding,
                                               .environment = known.environment,
                                               .rounds = known.rounds,
                                               .ladder = known.ladder,
                                               .options_json = program.options_json,
                                               .seed = seed_},
                                              draft_template_, now);
  finding.title = draft.title;
  finding.id = store_.add_finding(finding);
  draft.finding = finding.id;
  store_.set_draft(draft);
  store_.set_known_query(finding.id, store::known_query(known.verdict, known.gate, known.stage,
                                                        known.environment.device, finding.reduced));
  add_occurrence(finding.id, program, "the first", now);
  return {.finding = finding.id, .is_new = true};
}

oracle::Disposition Recorder::disposed(const Shown& shown, bool flaky, oracle::Reach reach, store::Millis now) const {
  const oracle::DispositionFacts facts{
      .flaky = flaky,
      .reach = reach,
      .known_age = known_age(store_.known_as_of(), now).value_or(std::chrono::seconds::max()),
      .known_max_age = policy_.known_max_age};
  return oracle::dispose(shown.verdict, shown.gate, facts, policy_.choices).disposition;
}

void Recorder::ask_known() {
  for (const store::Id id : store_.findings_without_known_query()) {
    const auto finding = store_.finding(id).value();
    const Shown known = shown(finding.program);
    store_.set_known_query(
        id, store::known_query(known.verdict, known.gate, known.stage, known.environment.device, finding.reduced));
  }
}

int Recorder::release_stale(store::Millis now) {
  if (known_is_stale(store_, now, policy_.known_max_age)) {
    return 0;
  }
  int released = 0;
  for (const auto& finding : store_.findings({.disposition = "held(stale)", .limit = 0})) {
    const auto disposition = disposed(shown(finding.program), finding.hits < finding.rounds, finding.reach, now);
    store_.set_disposition(finding.id, disposition.text(), severity_of(disposition), next_step_of(disposition));
    ++released;
  }
  return released;
}

void Recorder::add_occurrence(store::Id finding, const store::ProgramRow& program, const std::string& why,
                              store::Millis now) {
  store_.add_occurrence(finding, program.id, why, now);
}

}  // namespace parityd::agent
