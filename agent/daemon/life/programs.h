// The programs that are on their way, one task each, and what moves them on: an event comes in, the pipeline makes a
// move of it (agent/daemon/program/pipeline.h), the move is stored, the next step begins (steps.h). What is told of a
// program lies in the store, so that a task can be made of its row at any time. One thread (the loop's), inside its
// transaction.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

class Programs {
 public:
  /// The workshop outlives it.
  explicit Programs(Workshop& shop) : shop_(shop) { reload(); }
  /// After the configuration has changed.
  void reload();

  /// The task of a program that the store has; made of its row where there is none.
  [[nodiscard]] ProgramTask& task(store::Id program);
  [[nodiscard]] ProgramTask* find(store::Id program);
  /// Its row has changed: a task of the old one is dropped.
  void forget(store::Id program) { tasks_.erase(program); }
  /// Waits for a worker's place, behind all others.
  void queue(store::ProgramRow program);
  /// Those that wait for a place, for a provider to repair them: the first goes first. Whoever takes one out moves it
  /// on.
  [[nodiscard]] std::deque<store::Id>& queued() { return queued_; }
  [[nodiscard]] const std::deque<store::Id>& queued() const { return queued_; }
  [[nodiscard]] std::deque<store::Id>& repairs() { return repairs_; }

  /// Moves it on by what a step came to; without an event it stays where it is. The task may be gone afterwards.
  void step(ProgramTask& task, std::optional<Event> event);
  /// The same for a step that no move of the pipeline begins.
  void begin(ProgramTask& task, std::unique_ptr<Step> next);
  /// It waits in the gate's line. `shown`: its first round had shown it before a restart.
  void wait_for_gate(ProgramTask& task, bool shown);

  /// A run of a program, of any kind but a recheck.
  void examined(const Examined& examined);
  /// Moves on what ended by something else than a run; once a turn.
  void poll();
  /// Extents first: less is missing until there is a finding.
  void send_trials(TrialRoom& room);

  /// Not finished, and neither queued nor waiting for a repair.
  [[nodiscard]] std::size_t under_way() const;
  /// A suspect is on its way to a finding.
  [[nodiscard]] bool gating() const;
  [[nodiscard]] InHand in_hand() const;
  /// In a group's hands.
  [[nodiscard]] std::size_t placed(executor::GroupIndex group) const;
  /// Of the programs that this session counts as taken.
  [[nodiscard]] bool is_counted_first(const store::ProgramRow& program) const;
  /// After a restart, once it stands which programs are judged again. Those that another session began are no valid
  /// programs of this one: it never counted them as taken.
  void resume();
  /// What the session counted of its end comes again.
  void uncount(const store::ProgramRow& program);

 private:
  [[nodiscard]] Move decide(ProgramTask& task, const Event& event);
  [[nodiscard]] std::optional<Event> carry_out(ProgramTask& task, const Move& move);
  [[nodiscard]] Position position_of(const store::ProgramRow& program) const;
  [[nodiscard]] std::unique_ptr<Step> step_for(const Move& move);
  void judged(ProgramTask& task, const Examined& examined);
  void finished(const ProgramTask& task);
  void count(const store::ProgramRow& program, int times);

  Workshop& shop_;
  Policy policy_;
  std::map<store::Id, ProgramTask> tasks_;
  std::deque<store::Id> queued_;
  std::deque<store::Id> repairs_;
  std::set<store::Id> begun_before_;  // roots
};

/// Made of programs that were counted already: no program taken.
[[nodiscard]] bool is_derived(const store::ProgramRow& program);

}  // namespace parityd::agent
