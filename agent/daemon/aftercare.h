// What is done about findings once they are written: their scripts are run, debugging tools asked, a notifier told.
// Nothing waits for it but scripts; what a stop cuts short the next start begins again. One thread (the loop's), inside
// its transaction.
#pragma once

#include <vector>

#include "agent/daemon/findings/notifier.h"
#include "agent/daemon/life/workshop.h"
#include "agent/daemon/supply/gathering.h"

namespace parityd::agent {

class Aftercare {
 public:
  /// `looks`: at places that hypotheses name, wanted before a model is told what came of them. References outlive it.
  Aftercare(Workshop& shop, const NotifyParts& notify, Gathering::Looks looks);

  /// Takes what scripts and tools have told.
  void take();
  /// Begins what there is room for. `gating`: suspects are on their way to a finding.
  void begin(bool gating);
  /// Tells of findings that are ready.
  void notify();
  /// Which torches have workers, one a group; empty where it is not known yet.
  void set_torches(std::vector<std::string> torches);

  /// Nothing is to be run or told before an end.
  [[nodiscard]] bool idle() const { return !gathering_.scripts_wait() && !notifier_.busy(); }
  /// A command was begun; it ends in time.
  [[nodiscard]] bool notifying() const { return notifier_.running(); }

  void append_interests(std::vector<executor::Interest>& interests) const { notifier_.append_interests(interests); }
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const { return notifier_.next_deadline(); }

 private:
  void look_again();
  void keep_sanitized(store::Id finding);
  void keep_script(store::Id finding);

  Workshop& shop_;
  Gathering gathering_;
  Notifier notifier_;
  std::uint64_t looked_at_ = 0;  // Turn::findings_changes then
};

}  // namespace parityd::agent
