// What warm workers said that were found changed, or of whom nothing is known, is said again by others
// (agent/daemon/life/trust.h). One thread (the loop's), inside its transaction.
#pragma once

#include <string>

#include "agent/daemon/life/programs.h"

namespace parityd::agent {

class JudgingAgain {
 public:
  /// References outlive it.
  JudgingAgain(Workshop& shop, Programs& programs) : shop_(shop), programs_(programs) {}

  /// At a start: once workers are gone nobody looks at them any more.
  void resume();
  /// Takes what became of warm workers' word.
  void service();

 private:
  enum class EndOf { worker, daemon };
  /// False: no warm worker's word ended it.
  bool judge_again(store::Id program, EndOf end, const std::string& why);

  Workshop& shop_;
  Programs& programs_;
};

}  // namespace parityd::agent
