// Asking: how many programs and repairs a provider is asked for, so that workers have something to run and no more is
// paid for than they can; and programs that are bred instead. One thread (the loop's), inside its transaction.
#pragma once

#include <string>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/sourcing.h"
#include "agent/daemon/supply/breeding.h"

namespace parityd::agent {

class Asking {
 public:
  /// References outlive it.
  Asking(Workshop& shop, Programs& programs, Sourcing& sourcing);

  /// Takes what was bred since.
  void take_bred() { breeding_.take_sifted(); }
  /// Repairs first. `may_spend`: a provider may be asked at all. `may_ask`: for new programs, too.
  void service(bool may_spend, bool may_ask);
  /// After the configuration has changed.
  void reload();

 private:
  void ask_repairs(int& room);
  /// False: the budget says wait.
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
