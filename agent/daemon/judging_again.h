// Judges programs again, by other workers, if the warm worker that judged them was found changed or was never checked
// (agent/daemon/life/trust.h). One thread (the loop's), inside its transaction.
#pragma once

#include <string>

#include "agent/daemon/life/programs.h"

namespace parityd::agent {

class JudgingAgain {
 public:
  /// References outlive this object.
  JudgingAgain(Workshop& shop, Programs& programs) : shop_(shop), programs_(programs) {}

  /// At startup: the workers of the last run are gone and will never be checked.
  void resume();
  /// Takes results of checking warm workers.
  void apply_checks();

 private:
  enum class EndOf { worker, daemon };
  /// False: the program's end does not rest on a warm worker's verdict.
  bool judge_again(store::Id program, EndOf end, const std::string& why);

  Workshop& shop_;
  Programs& programs_;
};

}  // namespace parityd::agent
