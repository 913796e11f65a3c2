// The programs in progress, one task each. For each event the pipeline decides a move
// (agent/daemon/program/pipeline.h), the move is stored, the next step begins (steps.h). All results are in the store,
// so a task can be created from its row at any time. One thread (the loop's), inside its transaction.
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
  /// The workshop outlives this object.
  explicit Programs(Workshop& shop) : shop_(shop) { reload(); }
  /// After a configuration change.
  void reload();

  /// The task of a stored program; created from its row if there is none.
  [[nodiscard]] ProgramTask& task(store::Id program);
  [[nodiscard]] ProgramTask* find(store::Id program);
  /// The program's row has changed: drops the task made from the old one.
  void forget(store::Id program) { tasks_.erase(program); }
  /// Queues the program for a place on a worker, behind all others.
  void queue(store::ProgramRow program);
  /// Programs waiting for a place, and those waiting for a provider's repair, in order. Whoever removes one must move
  /// it on.
  [[nodiscard]] std::deque<store::Id>& queued() { return queued_; }
  [[nodiscard]] const std::deque<store::Id>& queued() const { return queued_; }
  [[nodiscard]] std::deque<store::Id>& repairs() { return repairs_; }

  /// Moves the program on by a step's result; without an event nothing changes. The task may no longer exist
  /// afterwards.
  void step(ProgramTask& task, std::optional<Event> event);
  /// Begins a step that no move of the pipeline starts.
  void begin(ProgramTask& task, std::unique_ptr<Step> next);
  /// Queues the program for confirmation. `shown`: its first round confirmed it before a restart.
  void wait_for_confirmation(ProgramTask& task, bool shown);

  /// Takes a run of a program, of any kind except a recheck.
  void examined(const Examined& examined);
  /// Moves on programs whose steps ended without a run; call once per turn.
  void poll();
  /// Extents first: they are closer to a finding.
  void send_trials(TrialRoom& room);

  /// Number of programs that are neither finished, nor queued, nor waiting for a repair.
  [[nodiscard]] std::size_t under_way() const;
  /// Whether a suspect is being confirmed.
  [[nodiscard]] bool confirming() const;
  [[nodiscard]] InHand in_hand() const;
  /// Number of programs that the group works on.
  [[nodiscard]] std::size_t placed(executor::GroupIndex group) const;
  /// Whether the program counts for this session's limit.
  [[nodiscard]] bool is_counted_first(const store::ProgramRow& program) const;
  /// Call after a restart, once it is known which programs are judged again. Programs begun by an earlier session do
  /// not count as valid in this one, which never counted them as taken.
  void resume();
  /// Undoes what the session counted for the program's end; it will end again.
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
  std::set<store::Id> begun_before_;  // roots of their chains
};

/// Whether it was made from programs already counted, so it does not count as taken.
[[nodiscard]] bool is_derived(const store::ProgramRow& program);

}  // namespace parityd::agent
