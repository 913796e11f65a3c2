// Whose word verdicts rest on: a warm worker's counts once its whole state has been looked at
// (executor/pool/pool_notice.h). What one said that was found changed, or ended before anybody looked, is said again by
// another (agent/daemon/judging_again.h); of what a second one is wrong about only fresh processes judge. One thread
// (the loop's), inside its transaction.
#pragma once

#include <map>
#include <set>

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/loop/turn.h"

namespace parityd::agent {

class Trust {
 public:
  /// A program put back into the queue so often, because the warm workers that judged it were not to be relied on,
  /// goes to fresh processes.
  static constexpr int kGateAfter = 2;

  explicit Trust(Turn& turn) : turn_(turn) {}

  /// What an examination said rests on a worker that is still to be looked at.
  void note(ProgramTask& task, const Examined& examined);
  /// Its worker was found sound.
  void settle(store::Id program);
  /// Nobody will look at its worker any more.
  void unsettle(store::Id program) { unsettled_.erase(program); }
  [[nodiscard]] bool all_settled() const { return unsettled_.empty(); }

  /// From now on the program counts as taken already.
  void judges_again(store::Id program) { judged_again_.insert(program); }
  [[nodiscard]] bool is_judged_again(store::Id program) const { return judged_again_.contains(program); }

  /// Fresh processes do not show what a warm worker saw of this program: the second time it is the worker that differs.
  void note_vanished(const ProgramTask& task);

 private:
  Turn& turn_;
  std::map<store::Id, int> unsettled_;  // examinations
  std::set<store::Id> judged_again_;
  std::map<WorkerKey, int> vanished_;  // differences
};

}  // namespace parityd::agent
