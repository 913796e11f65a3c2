// Confirming: which suspects go to the gate, and when, as far as confirming's share of the workers' time allows. One
// thread (the loop's), inside its transaction.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/queue.h"

namespace parityd::agent {

class Confirming {
 public:
  /// References outlive it.
  Confirming(Workshop& shop, Programs& programs, const Queue& queue);

  /// A suspect that a restart found half-way.
  void resume(const store::ProgramRow& program);
  /// Begins suspects and reductions, novel signatures first. After the queue's turn: places left over are confirming's,
  /// whatever its share.
  void service();
  /// Places for trials of reductions and extents.
  [[nodiscard]] TrialRoom trial_room() const;
  /// Whoever tries parityd waits to see a first confirmed program, and few workers would share its time with new ones.
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
  std::vector<std::pair<store::Id, SeenOn>> resumed_;  // before their first round, that no group has yet
  bool none_found_;                                    // since the database was made
};

}  // namespace parityd::agent
