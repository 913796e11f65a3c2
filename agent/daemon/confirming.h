// Chooses which suspects go to confirmation and when, within confirmation's share of the workers' time. One thread (the
// loop's), inside its transaction.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/queue.h"

namespace parityd::agent {

class Confirming {
 public:
  /// References outlive this object.
  Confirming(Workshop& shop, Programs& programs, const Queue& queue);

  /// Takes over a suspect whose confirmation a restart interrupted.
  void resume(const store::ProgramRow& program);
  /// Starts suspects and reductions, novel signatures first. Call after the queue's turn: confirmation also gets the
  /// places left over, whatever its share.
  void start_confirmations();
  /// Places available for trials of reductions and extents.
  [[nodiscard]] TrialRoom trial_room() const;
  /// Whether new programs should wait for the first confirmation: a new user wants to see it, and a few workers would
  /// otherwise split their time.
  [[nodiscard]] bool first_is_shown_soon() const;

 private:
  void begin(executor::GroupIndex group);
  void begin(ProgramTask& task, executor::GroupIndex group);
  void try_known(ProgramTask& task);
  void place_resumed();
  void take_up(store::Id program, executor::GroupIndex group);
  [[nodiscard]] bool may_confirm(executor::GroupIndex group) const;
  [[nodiscard]] bool confirms(executor::GroupIndex group, const SeenOn& seen) const;
  [[nodiscard]] std::optional<SeenOn> runs_on(executor::GroupIndex group) const;
  [[nodiscard]] std::optional<executor::GroupIndex> stand_in(const SeenOn& seen) const;

  Workshop& shop_;
  Programs& programs_;
  const Queue& queue_;
  std::vector<std::pair<store::Id, SeenOn>> resumed_;  // before their first round, not yet assigned to a group
  bool none_found_;                                    // since the database was created
};

}  // namespace parityd::agent
