// Decides how many programs and repairs to request from providers, so that workers stay busy but nothing is paid for
// that they cannot run; requests bred programs instead. One thread (the loop's), inside its transaction.
#pragma once

#include <string>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/sourcing.h"
#include "agent/daemon/supply/breeding.h"

namespace parityd::agent {

class Asking {
 public:
  /// References outlive this object.
  Asking(Workshop& shop, Programs& programs, Sourcing& sourcing);

  /// Takes programs bred since the last call.
  void take_bred() { breeding_.take_sifted(); }
  /// Repairs first. `may_spend`: providers may be asked at all. `may_ask`: also for new programs.
  void ask(bool may_spend, bool may_ask);
  /// After a configuration change.
  void reload();

 private:
  void ask_repairs(int& room);
  /// False: the budget does not allow it now.
  [[nodiscard]] bool ask_repair(ProgramTask& task, int& room);
  void ask_programs(int room);
  [[nodiscard]] Supply::Level level();
  void tell_pause();
  void booked();

  Workshop& shop_;
  Programs& programs_;
  Sourcing& sourcing_;
  Breeding breeding_;
  std::string last_pause_;
};

}  // namespace parityd::agent
