#include "agent/daemon/recorder.h"

#include <fmt/format.h>

#include "agent/daemon/variant.h"
#include "oracle/disposition.h"
#include "store/finding_facts.h"
#include "store/next_step.h"

namespace parityd::agent {
namespace {

constexpr std::string_view kGate = "gate";
constexpr std::string_view kLadder = "ladder";
constexpr std::string_view kReach = "reach";

}  // namespace

Recorder::Recorder(store::Store& store, std::filesystem::path draft_template, std::uint64_t seed,
                   oracle::DispositionChoices choices)
    : store_(store), draft_template_(std::move(draft_template)), seed_(seed), choices_(std::move(choices)) {}

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
  const auto reach = flaky ? std::nullopt : oracle::reach_after(known.trials, has_settings(program.options_json));
  const oracle::DispositionFacts facts{.flaky = flaky, .reach = reach.value_or(oracle::Reach::unknown)};
  const auto disposition = oracle::dispose(known.verdict, known.gate, facts, choices_).disposition;
  store::FindingRow finding;
  finding.signature = signature;
  finding.kind = known.verdict.kind.value_or(oracle::Kind::numerical);
  finding.stage = known.stage;
  finding.disposition = disposition.text();
  finding.severity = disposition.klass == oracle::Disposition::Class::ready ? disposition.severity : 0;
  finding.reach = facts.reach;
  finding.side = oracle::side_of(known.verdict, known.gate).side;
  finding.reduced = reduced;
  finding.explanation = known.verdict.explanation;
  finding.operators = store::operators_shown(known.gate);
  finding.dtypes = store::dtypes_shown(known.gate, reduced);
  finding.device = known.environment.device;
  finding.torch = known.environment.torch;
  finding.program = program.id;
  finding.environment = known.environment.id;
  finding.hits = move.gate_hits;
  finding.rounds = move.gate_rounds;
  finding.next_step = store::next_step_of(disposition);
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
  add_occurrence(finding.id, program, "the first", now);
  return {.finding = finding.id, .is_new = true};
}

store::Id Recorder::add_split_finding(const store::FindingRow& from, const store::ProgramRow& program,
                                      store::Millis now) {
  const Shown known = shown(program.id);
  store::FindingRow finding = from;
  finding.signature.text += fmt::format(" (split from finding {})", from.id);
  finding.signature.hash +=
      fmt::format("/{}/{}", program.id, now);  // no program's own: what comes later goes to `from`
  finding.stage = known.stage;
  finding.reduced = program.text;
  finding.program = program.id;
  finding.hits = program.gate_hits;
  finding.rounds = program.gate_rounds;
  finding.status = "new";
  finding.operators = store::operators_shown(known.gate);
  finding.dtypes = store::dtypes_shown(known.gate, program.text);
  finding.created_at = now;
  if (!known.verdict.explanation.empty()) finding.explanation = known.verdict.explanation;
  finding.why = fmt::format("split from finding {} by hand", from.id);
  if (finding.hits < from.hits) {
    finding.disposition = "held(split)";
    finding.severity = 0;
    finding.next_step = "run its script until you trust it: `parityd repro`";
    finding.why += fmt::format(", confirmed in {} of {} rounds", finding.hits, from.rounds);
  }
  store::DraftRow draft = store::render_draft({.finding = finding,
                                               .environment = known.environment,
                                               .rounds = known.rounds,
                                               .ladder = known.ladder,
                                               .options_json = program.options_json,
                                               .seed = seed_},
                                              draft_template_, now);
  finding.title = draft.title;
  draft.finding = store_.add_finding(finding);
  store_.set_draft(draft);
  return draft.finding;
}

void Recorder::add_occurrence(store::Id finding, const store::ProgramRow& program, const std::string& why,
                              store::Millis now) {
  store_.add_occurrence(finding, program.id, why, now);
}

}  // namespace parityd::agent
