// The daemon's torches: findings tried on others than the one they were found on, and what a new one makes of programs
// that were consistent. One thread (the loop's), inside its transaction.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/daemon/aftercare.h"
#include "agent/daemon/life/workshop.h"
#include "agent/daemon/program/rechecker.h"

namespace parityd::agent {

class Torches {
 public:
  /// `built_for`: what groups were built for; empty where only their workers can tell. References outlive it.
  Torches(Workshop& shop, Aftercare& aftercare, std::vector<std::string> built_for);

  /// Takes up torches whose workers have said what they are.
  void meet();
  /// The group's workers have another torch than before.
  void forget(executor::GroupIndex group) { met_.erase(group); }
  /// After the configuration has changed.
  void reload() { rechecker_.set_rounds(shop_.turn.config.gate_rounds); }
  /// Begins rechecks. `gating`: suspects are on their way to a finding.
  void begin(bool gating);
  /// A round of a recheck.
  void take(const Examined& examined);

  /// No finding waits for a torch that has workers.
  [[nodiscard]] bool idle() const;

 private:
  void meet(executor::GroupIndex group, const std::string& torch);
  void look_again();
  [[nodiscard]] bool all_met() const;

  Workshop& shop_;
  Aftercare& aftercare_;
  Rechecker rechecker_;
  std::uint64_t looked_at_ = 0;         // Turn::findings_changes then
  std::set<executor::GroupIndex> met_;  // groups whose torch is known
  std::string newest_;                  // as the recorder knows it
};

}  // namespace parityd::agent
