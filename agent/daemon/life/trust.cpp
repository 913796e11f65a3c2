#include "agent/daemon/life/trust.h"

#include <fmt/format.h>

namespace parityd::agent {
namespace {

constexpr int kVanishedOfOne = 2;

}  // namespace

void Trust::note(ProgramTask& task, const Examined& examined) {
  if (!rests_on_worker(examined.what) || !examined.trusted || examined.died) return;
  turn_.store.trust.note_unsettled(examined.program);
  unsettled_[examined.program] += 1;
  // Interpreted programs are examined again; fresh processes do not judge them.
  if (examined.verdict.verdict == oracle::VerdictKind::inconsistent && examined.evidence.graphs.interpreted == 0) {
    task.saw_difference = {examined.group, examined.worker};
  }
}

void Trust::settle(store::Id program) {
  turn_.store.trust.settle(program);
  if (const auto open = unsettled_.find(program); open != unsettled_.end() && --open->second == 0) {
    unsettled_.erase(open);
  }
}

void Trust::note_vanished(const ProgramTask& task) {
  if (!task.saw_difference) return;
  const auto [group, worker] = *task.saw_difference;
  if (++vanished_[*task.saw_difference] == kVanishedOfOne) {
    turn_.pool.distrust(group, worker,
                        fmt::format("{} differences it saw were not confirmed in fresh processes", kVanishedOfOne),
                        turn_.now);
  }
}

}  // namespace parityd::agent
