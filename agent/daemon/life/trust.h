// Tracks which workers verdicts depend on. A warm worker's verdict counts once the worker's whole state has been
// checked (executor/pool/pool_notice.h). If the worker was found changed, or ended unchecked, another worker judges the
// program again (agent/daemon/judging_again.h); if that worker is unreliable too, only fresh processes judge. One
// thread (the loop's), inside its transaction.
#pragma once

#include <map>
#include <set>

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/loop/turn.h"

namespace parityd::agent {

class Trust {
 public:
  /// A program requeued this often, because the warm workers that judged it were unreliable, goes to fresh processes.
  static constexpr int kGateAfter = 2;

  explicit Trust(Turn& turn) : turn_(turn) {}

  /// Records that an examination depends on a worker that is still to be checked.
  void note(ProgramTask& task, const Examined& examined);
  /// The program's worker was checked and is sound.
  void settle(store::Id program);
  /// The program's worker will not be checked any more.
  void unsettle(store::Id program) { unsettled_.erase(program); }
  [[nodiscard]] bool all_settled() const { return unsettled_.empty(); }

  /// The program is judged again: it already counts as taken.
  void judges_again(store::Id program) { judged_again_.insert(program); }
  [[nodiscard]] bool is_judged_again(store::Id program) const { return judged_again_.contains(program); }

  /// Records that fresh processes do not show what a warm worker saw for this program: the second time, the worker is
  /// considered faulty.
  void note_vanished(const ProgramTask& task);

 private:
  Turn& turn_;
  std::map<store::Id, int> unsettled_;  // unchecked examinations
  std::set<store::Id> judged_again_;
  std::map<WorkerKey, int> vanished_;  // differences that vanished
};

}  // namespace parityd::agent
