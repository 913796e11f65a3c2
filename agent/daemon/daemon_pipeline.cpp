// The daemon's pipeline: events of examinations move programs on; moves are stored, then carried out.
#include <fmt/format.h>

#include <algorithm>

#include "agent/daemon/daemon.h"
#include "agent/daemon/program/draw_seed.h"
#include "oracle/finding/sanitizer_report.h"
#include "oracle/finding/script_report.h"
#include "prompts/error_class.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

/// A draft waits so long for the environment's text, which comes from an idle worker.
constexpr auto kEnvironmentPatience = 60s;

std::string error_key_of(const oracle::Evidence& evidence) {
  const auto* eager = evidence.outcome(oracle::Mode::eager);
  return eager != nullptr && eager->error
             ? eager->error->inner_class + ": " + oracle::normalise_message(eager->error->message)
             : "";
}

}  // namespace

Subject Daemon::subject_of(const store::ProgramRow& program) const {
  return {
      .program = program.id, .text = program.text, .options_json = program.options_json, .group = group_of(program.id)};
}

/// What examinations have told lies in the store: a restart knows it, too.
Position Daemon::position_of(const store::ProgramRow& program) const {
  Position position{.state = program.state,
                    .repair_round = program.round,
                    .gate_rounds = program.gate_rounds,
                    .gate_hits = program.gate_hits};
  if (program.state == store::ProgramState::gating) {
    const auto told = recorder_.told(program);
    position.stepped_over = !told.stepped_over.empty();
    position.looked_closer = told.looked_closer;
    position.reduced = told.reduction.has_value();
    position.final_rounds = told.final_rounds;
    position.final_hits = told.final_hits;
    position.stage_known = told.stage_known;
    position.attributed = told.attributed;
    position.rest_known = told.rest_known;
    position.reach_known = told.reach.has_value();
    position.extent_known = told.extent_known;
  }
  return position;
}

void Daemon::step(store::ProgramRow program, const Event& event) {
  Move move = advance(policy_, position_of(program), event);
  // What only fresh processes were asked about no warm worker saw.
  move.state_dependent = move.state_dependent && parts_.store.trust.times_judged_again(program.id) < kGateAfter;
  if (move.state_dependent) {
    note_vanished(program.id);
  }
  const bool suspect = move.state == store::ProgramState::gating && program.state == store::ProgramState::queued;
  session_.suspects += suspect ? 1 : 0;
  if (suspect) {
    reach(KillPoint::suspected);
  }
  if (move.action == Action::reduce) {
    reach(KillPoint::confirmed);
    tell_of_confirmed(program);
  }
  const bool writes_finding = move.action == Action::add_finding || move.action == Action::add_flaky_finding;
  if (writes_finding) {  // finished once the finding is written; until then a restart comes back here
    Move waiting = move;
    waiting.state = store::ProgramState::gating;
    waiting.next_step = "write the finding";
    recorder_.moved(program, waiting, wall_);
  } else {
    recorder_.moved(program, move, wall_);
  }
  carry_out(std::move(program), move);
}

void Daemon::carry_out(store::ProgramRow program, const Move& move) {
  const auto examine = [this, &program](std::function<void()> effect) {
    if (stopping_) {
      return;  // its row says where to go on
    }
    active_[program.id] = program;
    outbox_.push_back(std::move(effect));
    outbox_.emplace_back([this] { reach(KillPoint::executing); });
  };
  const auto whole = subject_of(program);
  switch (move.action) {
    case Action::screen:
      return examine([this, whole, known = stepped_over(program)] { examiner_.screen(whole, now_, known); });
    case Action::look_beyond:
      return examine([this, whole, known = recorder_.told(program).stepped_over] {
        examiner_.rest(whole, Examination::beyond, oracle::Kind::numerical, known, now_);
      });
    case Action::look_closer:
      return examine([this, whole, kind = suspected_kind(program.id)] { examiner_.closer(whole, kind, now_); });
    case Action::run_round:
      if (move.gate_rounds == 0 && !stopping_ && !suspects_.is_in_gate(program.id)) {
        return wait_for_gate(std::move(program), false);
      }
      return examine(
          [this, whole, round = move.gate_rounds + 1] { examiner_.gate(whole, Examination::gate, round, now_); });
    case Action::reduce:
    case Action::run_final_round:
    case Action::find_stage:
    case Action::attribute:
    case Action::find_rest:
    case Action::find_reach:
    case Action::find_extent:
      return carry_on(std::move(program), move.action);
    case Action::ask_repair:
      repairs_.push_back(std::move(program));
      return;
    case Action::add_finding:
    case Action::add_flaky_finding:
      return finish_finding(std::move(program), move);
    case Action::add_occurrence:
      if (const auto finding = parts_.store.findings.by_raw_signature(recorder_.raw_signature(program.id)->hash)) {
        parts_.store.groups.add_occurrence(finding->id, program.id, move.why, wall_);
        session_.occurrences += 1;
      }
      return finished(program);
    case Action::finish:
      return finished(program);
  }
}

void Daemon::wait_for_gate(store::ProgramRow program, bool begun) {
  const auto signature = recorder_.raw_signature(program.id);
  suspects_.add(program.id, signature ? signature->hash : fmt::format("program {}", program.id), seen_on(program.id),
                begun);
  active_[program.id] = std::move(program);
}

std::optional<store::ProgramRow> Daemon::take_active(store::Id program) {
  auto taken = active_.extract(program);
  return taken.empty() ? std::nullopt : std::optional(std::move(taken.mapped()));
}

void Daemon::finished(const store::ProgramRow& program) {
  active_.erase(program.id);
  placed_.erase(program.id);
  pressure_.finished(program.id);
  suspects_.left(program.id);
  saw_difference_.erase(program.id);
  if (!judged_again_.contains(program.id)) {
    earnings_.finished(program, wall_);
  }
  reach(KillPoint::finished);
  if (!program.verdict) {
    return;
  }
  const auto verdict = program.verdict->verdict;
  switch (verdict) {
    case oracle::VerdictKind::consistent:
      session_.consistent += 1;
      break;
    case oracle::VerdictKind::invalid:
      break;
    case oracle::VerdictKind::inconsistent:
      session_.inconsistent += 1;
      break;
    case oracle::VerdictKind::excused:
      session_.excused += 1;
      break;
    case oracle::VerdictKind::unstable:
      session_.unstable += 1;
      break;
  }
  const bool counted = !is_derived(program) && !begun_before_.contains(program.root);
  if (verdict != oracle::VerdictKind::invalid && counted) {
    session_.valid += 1;
    session_.repaired += program.round > 0 ? 1 : 0;
  }
  const auto under_way = static_cast<std::int64_t>(active_.size());
  session_.invalid = std::max<std::int64_t>(0, session_.programs - session_.valid - under_way);
}

void Daemon::take_examined() {
  for (const auto& each : examiner_.take(now_)) {
    examined(each);
  }
}

void Daemon::examined(const Examined& examined) {
  if (examined.what == Examination::recheck) {
    return rechecked(examined);
  }
  update_environment(examined.group);
  const bool telling_apart = examined.what == Examination::screen || examined.what == Examination::beyond ||
                             examined.what == Examination::closer;
  share_.spent(examined.group, !telling_apart, examined.seconds);
  supply_.worked(examined.seconds);
  if (examined.what == Examination::candidate) {
    const auto sweeper = sweepers_.find(examined.program);
    return sweeper != sweepers_.end() ? sweeper->second.take(examined) : reducer_.take(examined, now_);
  }
  if (examined.what == Examination::ablation) {
    return ablated(examined);
  }
  auto program = take_active(examined.program);
  if (!program) {
    return;
  }
  if (examined.what == Examination::screen) {
    supply_.ran_program();
  }
  if (telling_apart && !judged_again_.contains(program->id)) {
    earnings_.took(program->id, examined.seconds);
  }
  if (!examined.harness_failure.empty()) {
    failed_ourselves(*program, examined);
    const bool extra = examined.what == Examination::reach || examined.what == Examination::rest;
    if (!extra) {  // what a confirmed finding can do without stays unknown
      step(std::move(*program), HarnessFailed{examined.harness_failure});
      return;
    }
  }
  if (waits_for_device(*program, examined)) {
    return;
  }
  reach(KillPoint::judged);
  recorder_.examined(examined, wall_);
  note_word(examined);
  reach(KillPoint::stored);
  tell_of_verdict(*program, examined);
  const bool as_it_is = examined.neutralisers.empty();
  if (examined.what == Examination::screen && as_it_is && !judged_again_.contains(program->id) &&
      examined.evidence.ran(examined.evidence.compiled)) {
    earnings_.reached(program->id, parts_.store.coverage.note(program->id, examined.evidence.features, wall_));
  }
  if (examined.what == Examination::beyond) {
    return take_beyond(*program, examined);
  }
  if (examined.what == Examination::rest) {
    take_rest(*program, examined);
  }
  const Event event = event_of(*program, examined);
  if (examined.what == Examination::screen) {
    program->error_key = error_key_of(examined.evidence);
  }
  step(std::move(*program), event);
}

Event Daemon::event_of(const store::ProgramRow& program, const Examined& examined) const {
  switch (examined.what) {
    case Examination::screen:
      return screened_event(program, examined);
    case Examination::closer:
      return LookedCloser{
          .verdict = examined.verdict, .trusted = examined.trusted, .familiar = familiar(program.id, examined.verdict)};
    case Examination::gate:
      return RoundJudged{.verdict = examined.verdict, .familiar = familiar(program.id, examined.verdict)};
    default:
      return further_event(program);
  }
}

Event Daemon::screened_event(const store::ProgramRow& program, const Examined& examined) const {
  Screened screened{.verdict = examined.verdict,
                    .trusted = examined.trusted,
                    .same_error = false,
                    .stepped_over = !examined.neutralisers.empty()};
  const std::string key = error_key_of(examined.evidence);
  for (auto parent = program.parent; parent && !key.empty() && !screened.same_error;) {
    const auto before = parts_.store.programs.find(*parent);
    screened.same_error = before && before->error_key == key;
    parent = before ? before->parent : std::nullopt;
  }
  return screened;
}

/// Empty: it is to be repaired.
std::string Daemon::why_dropped(prompts::ErrorClass error_class, store::Id program) {
  const std::string klass(prompts::name(error_class));
  if (!prompts::worth_repairing(error_class)) {
    return "not worth a repair: " + klass;
  }
  const Choices& choices = earnings_.choices();
  const std::uint64_t seed = draw_seed(parts_.config.seed, static_cast<std::uint64_t>(program));
  if (choices.worth_repairing(klass, seed)) {
    return "";
  }
  return fmt::format("not worth a repair: those of {} bring {:.0f} points a dollar, new programs {:.0f}", klass,
                     choices.repairs().mean_rate(arm_of_repair(klass)), choices.repairs().mean_rate(kNewProgram));
}

void Daemon::ask_repairs(int& room) {
  while (!repairs_.empty()) {
    const bool possible = generation_ && parts_.provider->can_repair() && !parts_.provider->stopped();
    if (possible && room <= 0) {
      return;
    }
    store::ProgramRow program = std::move(repairs_.front());
    repairs_.pop_front();
    if (is_bred(program)) {
      step(std::move(program), RepairImpossible{"it was bred: another one costs nothing"});
      continue;
    }
    if (!possible) {
      step(std::move(program), RepairImpossible{"this provider cannot repair"});
      continue;
    }
    oracle::Outcome eager;
    for (const auto& row : parts_.store.examinations.of(program.id)) {
      if (const auto* outcome = row.evidence.outcome(oracle::Mode::eager);
          outcome != nullptr && row.purpose == name(Examination::screen)) {
        eager = *outcome;
      }
    }
    const auto error_class = prompts::classify(failure_of(eager));
    const std::string klass(prompts::name(error_class));
    if (const auto why = why_dropped(error_class, program.id); !why.empty()) {
      parts_.store.repairs.add(program.id, klass, program.round + 1, store::RepairResult::declined, wall_);
      step(std::move(program), RepairImpossible{why});
      continue;
    }
    if (!generation_->repair(program, eager, now_, wall_, outbox_)) {
      repairs_.push_front(std::move(program));  // the budget says wait
      return;
    }
    request_booked();
    parts_.store.repairs.add(program.id, klass, program.round + 1, store::RepairResult::asked, wall_);
    earnings_.choices().repair_asked(klass);
    --room;
  }
}

void Daemon::finish_finding(store::ProgramRow program, const Move& move) {
  const store::Id id = program.id;
  active_.erase(id);
  pending_[id] = {.program = std::move(program), .move = move, .since = now_};
}

void Daemon::write_findings() {
  for (auto entry = pending_.begin(); entry != pending_.end();) {
    Pending& pending = entry->second;
    const bool environment_known =
        update_environment(group_of(entry->first)) || now_ - pending.since > kEnvironmentPatience;
    if (!environment_known) {
      ++entry;
      continue;
    }
    const auto recorded = recorder_.add_finding(pending.program, pending.move, wall_);
    reach(KillPoint::drafted);
    session_.occurrences += 1;
    if (recorded.is_new) {
      none_found_ = false;
      findings_changed();
      rechecker_.look_again();
      session_.findings += 1;
      const auto known = parts_.store.known.matches(recorded.finding);
      const bool is_known = std::any_of(known.begin(), known.end(), [](const auto& match) { return match.confident; });
      const auto finding = parts_.store.findings.find(recorded.finding);
      earnings_.found(pending.program.id, is_known || finding->status == "known");
      progress_.line(fmt::format("finding {}: {} at {}, {}: {}", recorded.finding, name(finding->kind),
                                 name(finding->stage), finding->disposition, finding->title));
      note("finding", finding->title);
      parts_.store.alarms.note_outgoing("drafts", "", wall_);
    }
    store::ProgramRow program = std::move(pending.program);
    recorder_.moved(program, pending.move, wall_);
    entry = pending_.erase(entry);
    finished(program);
  }
}

/// Some may be ready that were not: whoever works on ready ones looks again.
void Daemon::findings_changed() {
  step_over_stale_ = true;
  notifier_.look_again();
  gathering_.look_again();
}

/// What compute-sanitizer said counts for what is to be done about a finding.
void Daemon::keep_sanitized(store::Id finding) {
  const auto words = recorder_.sanitized(finding, wall_);
  findings_changed();
  if (!words.empty()) {
    progress_.line(fmt::format("finding {}: {}", finding, words.front()));
    note("sanitizer", fmt::format("finding {}: {}", finding, fmt::join(words, "; ")));
  }
}

/// What a script did on one torch decides whether its finding is ready.
void Daemon::keep_script(store::Id finding) {
  recorder_.script_ran(finding, wall_);
  findings_changed();
  const auto runs = parts_.store.scripts.runs(finding);
  const std::string words = runs.empty() ? "its script has changed meanwhile" : oracle::in_words(runs.front().report);
  const std::string said =
      fmt::format("finding {}: {}: {}", finding, parts_.store.findings.find(finding).value().disposition, words);
  progress_.line(said);
  note("script", said);
}

/// Evidence beyond what a finding needs: nothing waits for it, and what a stop cuts short the next start begins again.
void Daemon::gather() {
  for (const auto& [what, failure] : gathering_.store_results(wall_)) {
    if (!failure.empty()) {
      alarms_.raise(store::EventKind::inspection_failed,
                    fmt::format("{} of {}: {}", what.tool, what.file_name, failure));
    } else if (what.tool == oracle::kScriptTool) {
      keep_script(what.finding);
    } else if (std::ranges::find(oracle::kSanitizerTools, what.tool) != oracle::kSanitizerTools.end()) {
      keep_sanitized(what.finding);
    }
  }
  if (stopping_) {
    return;
  }
  const bool gating = std::any_of(active_.begin(), active_.end(),
                                  [](const auto& entry) { return entry.second.state == store::ProgramState::gating; });
  begin_rechecks(gating);
  for (auto& inspection : {gathering_.next_script(), gathering_.next(gating, now_)}) {
    if (inspection) {
      outbox_.push_back([this, what = *inspection] { examiner_.inspect(what, now_); });
    }
  }
}

bool Daemon::update_environment(executor::GroupIndex group) {
  if (environment_complete_.contains(group)) {
    return true;
  }
  const auto hello = parts_.pool.hello(group);
  if (!hello) {
    return false;
  }
  const auto& [id, text, features] = parts_.pool.environment(group);
  if (recorder_.environment(group).id != 0 && text.empty()) {
    return false;
  }
  const auto device = parts_.pool.config(group).device;
  recorder_.set_environment(group, {.torch = hello->torch,
                                    .python = hello->python,
                                    .device = std::string(name(device)),
                                    .device_name = hello->device_name(device),
                                    .sandbox = executor::description(hello->sandbox),
                                    .text = text});
  if (!text.empty()) {
    environment_complete_.insert(group);
    parts_.store.coverage.list(features);
  }
  return !text.empty();
}

}  // namespace parityd::agent
