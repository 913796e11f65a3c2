#include "agent/daemon/life/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agent/daemon/life/mishaps.h"
#include "agent/daemon/life/steps.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

using oracle::VerdictKind;
using Where = ProgramTask::Where;

/// Characters of an explanation shown in a line.
constexpr std::size_t kConfirmedWords = 100;

void tell_of_confirmed(Workshop& shop, const store::ProgramRow& program) {
  const auto shown = store::clean_line(shop.recorder.told(program).whole.verdict.explanation);
  shop.turn.progress.line(fmt::format("program {} is confirmed in fresh processes and will be reduced: {}", program.id,
                                      store::shortened(shown, kConfirmedWords)));
}

/// Steps of actions that need only the program.
struct StepOf {
  Action action;
  std::unique_ptr<Step> (*make)(Workshop&);
};
constexpr std::array kSteps{StepOf{Action::screen, screen},
                            StepOf{Action::screen_compiled, screen_compiled},
                            StepOf{Action::run_masked, run_masked},
                            StepOf{Action::run_controls, run_controls},
                            StepOf{Action::reduce, reduce},
                            StepOf{Action::run_final_round, confirm_reduced},
                            StepOf{Action::find_stage, find_stage},
                            StepOf{Action::attribute, attribute},
                            StepOf{Action::find_residual, find_residual},
                            StepOf{Action::find_trigger, find_trigger},
                            StepOf{Action::find_extent, find_extent}};

bool writes_finding(Action action) { return action == Action::add_finding || action == Action::add_flaky_finding; }

}  // namespace

bool is_derived(const store::ProgramRow& program) {
  return program.origin == store::Origin::residual || program.origin == store::Origin::sentinel;
}

void Programs::reload() {
  policy_ = {.confirmation_rounds = shop_.turn.config.confirmation_rounds,
             .repair_rounds = shop_.turn.config.repair_rounds};
}

ProgramTask* Programs::find(store::Id program) {
  const auto found = tasks_.find(program);
  return found == tasks_.end() ? nullptr : &found->second;
}

ProgramTask& Programs::task(store::Id program) {
  if (ProgramTask* const known = find(program)) return *known;
  return tasks_.emplace(program, shop_.turn.store.programs.find(program).value()).first->second;
}

void Programs::queue(store::ProgramRow program) {
  const store::Id id = program.id;
  queued_.push_back(id);
  tasks_.insert_or_assign(id, ProgramTask(std::move(program)));
}

void Programs::begin(ProgramTask& task, std::unique_ptr<Step> next) {
  task.where = Where::under_way;
  task.step = std::move(next);
  step(task, task.step->begin(task));
}

void Programs::step(ProgramTask& task, std::optional<Event> event) {
  while (event) {
    const Move move = decide(task, *event);
    event = carry_out(task, move);
  }
}

/// The position from what examinations left in the store, so a restart knows it too.
Position Programs::position_of(const store::ProgramRow& program) const {
  if (program.state == store::ProgramState::confirming) return shop_.recorder.told(program).position;
  return {.state = program.state,
          .repair_round = program.round,
          .confirmation_rounds = program.confirmation_rounds,
          .confirmation_hits = program.confirmation_hits};
}

/// Decides and stores the next move. The program of a finding is finished once the finding is written; until then a
/// restart comes back to this move.
Move Programs::decide(ProgramTask& task, const Event& event) {
  Turn& turn = shop_.turn;
  Move move = advance(policy_, position_of(task.row), event);
  // A program judged only by fresh processes was not seen by a warm worker.
  move.state_dependent = move.state_dependent && turn.store.trust.times_judged_again(task.row.id) < Trust::kGateAfter;
  if (move.state_dependent) shop_.trust.note_vanished(task);
  if (move.state == store::ProgramState::confirming && task.row.state == store::ProgramState::queued) {
    turn.session.suspects += 1;
    turn.reach(KillPoint::suspected);
  }
  if (move.action == Action::reduce && std::holds_alternative<RoundJudged>(event)) {
    turn.reach(KillPoint::confirmed);
    tell_of_confirmed(shop_, task.row);
  }
  Move stored = move;
  if (writes_finding(move.action)) {
    stored.state = store::ProgramState::confirming;
    stored.next_step = "write the finding";
  }
  shop_.recorder.moved(task.row, stored, turn.wall);
  return move;
}

std::optional<Event> Programs::carry_out(ProgramTask& task, const Move& move) {
  const store::Id id = task.row.id;
  switch (move.action) {
    case Action::add_occurrence:
      shop_.turn.session.occurrences +=
          shop_.recorder.same_cause().add_occurrence(id, move.why, task.vanishes_with, shop_.turn.wall) ? 1 : 0;
      [[fallthrough]];
    case Action::finish:
      finished(task);
      return std::nullopt;
    case Action::ask_repair:
      task.where = Where::awaiting_repair;
      task.step.reset();
      repairs_.push_back(id);
      return std::nullopt;
    default:
      break;
  }
  task.where = writes_finding(move.action) ? Where::confirmed : Where::under_way;
  task.step.reset();
  if (shop_.turn.stopping && task.where == Where::under_way) {
    return std::nullopt;  // its row tells where to continue
  }
  if (move.action == Action::run_round && move.confirmation_rounds == 0 && !shop_.suspects.is_confirming(id)) {
    wait_for_confirmation(task, false);
    return std::nullopt;
  }
  if (move.action == Action::reduce && shop_.suspects.is_confirming(id, Suspects::Place::first)) {
    shop_.suspects.shown(id);
    return std::nullopt;
  }
  task.step = step_for(move);
  return task.step->begin(task);
}

std::unique_ptr<Step> Programs::step_for(const Move& move) {
  if (move.action == Action::run_round) return confirm(shop_, move.confirmation_rounds + 1);
  if (writes_finding(move.action)) return write_finding(shop_, move);
  const auto found = std::ranges::find(kSteps, move.action, &StepOf::action);
  return found->make(shop_);
}

void Programs::wait_for_confirmation(ProgramTask& task, bool shown) {
  const store::Id id = task.row.id;
  const auto signature = shop_.recorder.raw_signature(id);
  shop_.suspects.add(id, signature ? signature->hash : fmt::format("program {}", id), seen_on(shop_.turn.store, id),
                     shown);
  task.where = Where::under_way;
}

void Programs::examined(const Examined& examined) {
  shop_.recorder.update_environment(shop_.turn.pool, examined.group);
  const bool telling_apart = examined.what == Examination::screen || examined.what == Examination::masked ||
                             examined.what == Examination::controls;
  shop_.share.spent(examined.group, !telling_apart, examined.seconds);
  shop_.supply.worked(examined.seconds);
  ProgramTask* const task = find(examined.program);
  // A reduction whose time is up leaves candidates running; their results belong to no other step.
  if (task == nullptr || task->step == nullptr || task->step->awaits() != examined.what) return;
  if (examined.what == Examination::candidate || examined.what == Examination::ablation) {
    return step(*task, task->step->on_result(*task, examined));
  }
  if (examined.what == Examination::screen) shop_.supply.ran_program();
  if (telling_apart && !shop_.trust.is_judged_again(examined.program)) {
    shop_.earnings.took(examined.program, examined.seconds);
  }
  if (!examined.harness_failure.empty()) {
    tell_harness_failure(shop_.turn, task->row.id, examined);
    const bool extra = examined.what == Examination::trigger || examined.what == Examination::residual;
    if (!extra) {  // facts that a confirmed finding can do without stay unknown
      return step(*task, HarnessFailed{examined.harness_failure});
    }
  }
  if (waits_for_device(shop_, task->row, examined)) {
    shop_.turn.session.programs -= is_counted_first(task->row) ? 1 : 0;  // counted when it runs again
    tasks_.erase(examined.program);
    return;
  }
  judged(*task, examined);
}

void Programs::judged(ProgramTask& task, const Examined& examined) {
  Turn& turn = shop_.turn;
  turn.reach(KillPoint::judged);
  shop_.recorder.examined(examined, turn.wall);
  shop_.trust.note(task, examined);
  turn.reach(KillPoint::stored);
  tell_verdict(turn, task.row.id, examined);
  const bool as_it_is = examined.what == Examination::screen && examined.neutralisers.empty();
  if (as_it_is && !shop_.trust.is_judged_again(task.row.id) && examined.evidence.ran(examined.evidence.compiled)) {
    shop_.earnings.reached(task.row.id, turn.store.coverage.note(task.row.id, examined.evidence.features, turn.wall));
  }
  step(task, task.step->on_result(task, examined));
}

void Programs::poll() {
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    ProgramTask* task = &(next++)->second;  // it may be destroyed before the next one's turn
    const store::Id id = task->row.id;
    while (task != nullptr && task->step != nullptr) {
      auto event = task->step->poll(*task);
      if (!event) break;
      step(*task, std::move(event));
      task = find(id);
    }
  }
}

void Programs::send_trials(TrialRoom& room) {
  for (auto& [id, task] : tasks_) {
    if (task.step) task.step->send_trials(room);
  }
  shop_.reducer.send_trials(room, shop_.turn.now);
}

std::size_t Programs::under_way() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks_, [](const auto& entry) {
    return entry.second.where == Where::under_way || entry.second.where == Where::confirmed;
  }));
}

bool Programs::confirming() const {
  return std::ranges::any_of(tasks_, [](const auto& entry) {
    return entry.second.where == Where::under_way && entry.second.row.state == store::ProgramState::confirming;
  });
}

InHand Programs::in_hand() const {
  InHand counts;
  for (const auto& [id, task] : tasks_) {
    if (task.step == nullptr) continue;
    const bool suspect = task.row.state == store::ProgramState::confirming;
    (!suspect ? counts.screening : task.row.confirmation_hits == 0 ? counts.confirming : counts.reducing) += 1;
  }
  return counts;
}

std::size_t Programs::placed(executor::GroupIndex group) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks_, [group](const auto& entry) { return entry.second.group == group; }));
}

bool Programs::is_counted_first(const store::ProgramRow& program) const {
  return program.round == 0 && !is_derived(program) && !shop_.trust.is_judged_again(program.id);
}

void Programs::finished(const ProgramTask& task) {
  const store::ProgramRow program = task.row;
  tasks_.erase(program.id);
  shop_.pressure.finished(program.id);
  shop_.suspects.left(program.id);
  if (!shop_.trust.is_judged_again(program.id)) shop_.earnings.finished(program, shop_.turn.wall);
  shop_.turn.reach(KillPoint::finished);
  if (program.verdict) {
    count(program, 1);
    auto& session = shop_.turn.session;
    session.invalid =
        std::max<std::int64_t>(0, session.programs - session.valid - static_cast<std::int64_t>(under_way()));
  }
}

void Programs::resume() {
  const auto roots = shop_.turn.store.programs.roots_begun();
  begun_before_ = {roots.begin(), roots.end()};
}

void Programs::uncount(const store::ProgramRow& program) {
  if (program.verdict) count(program, -1);
}

void Programs::count(const store::ProgramRow& program, int times) {
  auto& session = shop_.turn.session;
  const auto verdict = program.verdict->verdict;
  session.consistent += verdict == VerdictKind::consistent ? times : 0;
  session.inconsistent += verdict == VerdictKind::inconsistent ? times : 0;
  session.excused += verdict == VerdictKind::excused ? times : 0;
  session.unstable += verdict == VerdictKind::unstable ? times : 0;
  if (verdict != VerdictKind::invalid && !is_derived(program) && !begun_before_.contains(program.root)) {
    session.valid += times;
    session.repaired += program.round > 0 ? times : 0;
  }
}

}  // namespace parityd::agent
