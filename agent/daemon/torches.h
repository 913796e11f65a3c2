// The daemon's torches: rechecks findings on torches other than the one they were found on, and runs consistent
// programs again on a new one. One thread (the loop's), inside its transaction.
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
  /// `built_for`: the torch each group was built for; empty if only its workers can tell. References outlive this
  /// object.
  Torches(Workshop& shop, Aftercare& aftercare, std::vector<std::string> built_for);

  /// Registers torches once their workers have reported them.
  void meet();
  /// The group's workers have a different torch now.
  void forget(executor::GroupIndex group) { met_.erase(group); }
  /// After a configuration change.
  void reload() { rechecker_.set_rounds(shop_.turn.config.confirmation_rounds); }
  /// Starts rechecks. `confirming`: suspects are being confirmed.
  void begin(bool confirming);
  /// Takes the result of a recheck's round.
  void on_result(const Examined& examined);

  /// No finding waits for a recheck on a torch that has workers.
  [[nodiscard]] bool idle() const;

 private:
  void meet(executor::GroupIndex group, const std::string& torch);
  void look_again();
  [[nodiscard]] bool all_met() const;

  Workshop& shop_;
  Aftercare& aftercare_;
  Rechecker rechecker_;
  std::uint64_t looked_at_ = 0;         // Turn::findings_changes at that time
  std::set<executor::GroupIndex> met_;  // groups whose torch is known
  std::string newest_;                  // as set in the recorder
};

}  // namespace parityd::agent
