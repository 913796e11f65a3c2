#include "agent/daemon/asking.h"

#include <algorithm>
#include <iterator>

#include "executor/pool/pool.h"

namespace parityd::agent {
namespace {

/// Made without a model: repairing it would cost more than making another.
bool is_bred(const store::ProgramRow& program) {
  return program.origin == store::Origin::mutant || program.origin == store::Origin::composed;
}

/// Outcome of the program's eager run when it was screened.
oracle::Outcome eager_outcome(const store::Store& store, store::Id program) {
  oracle::Outcome eager;
  for (const auto& row : store.examinations.of(program)) {
    const auto* outcome = row.evidence.outcome(oracle::Mode::eager);
    if (outcome != nullptr && row.purpose == Examination::screen) eager = *outcome;
  }
  return eager;
}

}  // namespace

Asking::Asking(Workshop& shop, Programs& programs, Sourcing& sourcing)
    : shop_(shop),
      programs_(programs),
      sourcing_(sourcing),
      breeding_(shop.turn.store, shop.examiner, shop.syntax, recent_parents(shop.turn.store), shop.turn.config.seed,
                shop.turn.config.mutant_share) {}

void Asking::reload() { breeding_.set_share(shop_.turn.config.mutant_share); }

void Asking::ask(bool may_spend, bool may_ask) {
  const bool may = sourcing_.generation() != nullptr && may_spend;
  int room = may ? sourcing_.provider()->capacity(shop_.turn.now) : 0;
  ask_repairs(room);
  if (may && may_ask) ask_programs(room);
}

void Asking::ask_repairs(int& room) {
  auto& repairs = programs_.repairs();
  Provider* const provider = sourcing_.provider();
  const bool possible = provider != nullptr && provider->can_repair() && !provider->stopped();
  while (!repairs.empty() && (!possible || room > 0)) {
    ProgramTask& task = programs_.task(repairs.front());
    repairs.pop_front();
    if (is_bred(task.row)) {
      programs_.step(task, RepairImpossible{"it is a mutant, and another one costs nothing"});
    } else if (!possible) {
      programs_.step(task, RepairImpossible{"this provider cannot repair"});
    } else if (!ask_repair(task, room)) {
      repairs.push_front(task.row.id);
      return;
    }
  }
}

bool Asking::ask_repair(ProgramTask& task, int& room) {
  Turn& turn = shop_.turn;
  const store::Id id = task.row.id;
  const int round = task.row.round + 1;
  const auto eager = eager_outcome(turn.store, id);
  const auto error_class = prompts::classify(failure_of(eager));
  const std::string klass(prompts::name(error_class));
  if (!prompts::worth_repairing(error_class)) {
    turn.store.repairs.add(id, klass, round, store::RepairResult::declined, turn.wall);
    programs_.step(task, RepairImpossible{"not worth a repair: " + klass});
    return true;
  }
  if (!sourcing_.generation()->repair(task.row, eager, turn.now, turn.wall, turn.outbox)) return false;
  booked();
  turn.store.repairs.add(id, klass, round, store::RepairResult::asked, turn.wall);
  --room;
  return true;
}

/// Before the first worker exists, assumes that there is one.
Supply::Level Asking::level() {
  const Turn& turn = shop_.turn;
  const auto counts = turn.pool.counts();
  Supply::Level level{.workers = std::max(1, counts.warm_ready + counts.warm_busy),
                      .waiting = static_cast<int>(programs_.queued().size()) + shop_.intake.in_flight(),
                      .requested = sourcing_.in_flight()};
  if (turn.options.duration) {
    level.seconds_left = std::chrono::duration<double>(turn.started + *turn.options.duration - turn.now).count();
  }
  return level;
}

void Asking::ask_programs(int room) {
  Turn& turn = shop_.turn;
  Generation& generation = *sourcing_.generation();
  if (turn.options.drain || !turn.may_take_program()) return;
  Supply::Level level = this->level();
  int ahead = level.waiting + generation.generating();
  while (shop_.supply.is_low(level) || shop_.supply.is_starving(level)) {
    if (turn.options.programs && turn.session.programs + ahead >= *turn.options.programs) return tell_pause();
    const bool may_ask = room > 0 && shop_.supply.is_low(level) && !sourcing_.reads();
    const bool breeds = shop_.supply.is_starving(level) || (may_ask && breeding_.its_turn());
    if (auto bred = breeds ? breeding_.pop() : std::nullopt) {
      shop_.intake.accept(std::move(*bred));
      ++level.waiting;
    } else if (!may_ask || !generation.ask(turn.now, turn.wall, turn.outbox)) {
      break;
    } else {
      booked();
      ++level.requested;
      --room;
    }
    ++ahead;
  }
  const auto counts = turn.pool.counts();
  if (counts.warm_ready + counts.warm_busy > 0) breeding_.refill(turn.now);
  tell_pause();
}

void Asking::tell_pause() {
  const std::string& pause = sourcing_.generation()->pause_reason();
  if (pause == last_pause_) return;
  last_pause_ = pause;
  if (pause.empty()) {
    shop_.turn.alarms.over(store::EventKind::budget_spent);
  } else {
    shop_.turn.alarms.raise(store::EventKind::budget_spent, pause);
  }
}

/// Inserted before the last effect of the outbox, which sends the request.
void Asking::booked() {
  Turn& turn = shop_.turn;
  turn.outbox.insert(std::prev(turn.outbox.end()), [&turn] { turn.reach(KillPoint::reserved); });
  turn.send([&turn] { turn.reach(KillPoint::sent); });
}

}  // namespace parityd::agent
