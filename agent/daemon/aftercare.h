// Work on findings after they are written: runs their scripts and debugging tools, notifies, and asks for changes. Only
// scripts can delay a finding; work cut short by a stop is started again at the next start. One thread (the loop's),
// inside its transaction.
#pragma once

#include <vector>

#include "agent/daemon/findings/fixer.h"
#include "agent/daemon/findings/notifier.h"
#include "agent/daemon/life/workshop.h"
#include "agent/daemon/supply/gathering.h"

namespace parityd::agent {

class Aftercare {
 public:
  /// `looks`: returns the looks at places named by hypotheses, to make before a model is sent the outcomes. References
  /// outlive this object.
  Aftercare(Workshop& shop, const NotifyParts& notify, const FixCommand& fix, Gathering::Looks looks);
  /// Call after the configuration has changed.
  void reload() { fixer_.reload(); }

  /// Takes results of scripts and tools.
  void collect_results();
  /// Starts whatever there is room for. `confirming`: suspects are being confirmed.
  void begin(bool confirming);
  /// Notifies of ready findings.
  void notify();
  /// Asks models for changes of torch, if configured and if `may_ask`; ends that when the daemon stops.
  void fix(bool may_ask);
  /// Sets the torch of each group's workers; empty where it is not known yet.
  void set_torches(std::vector<std::string> torches);

  /// Nothing needs to be run or notified before the daemon may end.
  [[nodiscard]] bool idle() const { return !gathering_.scripts_wait() && !notifier_.busy() && !fixer_.busy(); }
  /// A notification command is running; it ends within its timeout.
  [[nodiscard]] bool notifying() const { return notifier_.running(); }

  void append_interests(std::vector<executor::Interest>& interests) const;
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

 private:
  void look_again();
  void keep_sanitized(store::Id finding);
  void keep_script(store::Id finding);

  Workshop& shop_;
  Gathering gathering_;
  Notifier notifier_;
  Fixer fixer_;
  std::uint64_t looked_at_ = 0;  // Turn::findings_changes at that time
};

}  // namespace parityd::agent
