#include "executor/process/oom_score.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "executor/confine/descriptor.h"

namespace parityd::executor {

void go_first_when_memory_ends(pid_t pid) {
  const Descriptor score(open(("/proc/" + std::to_string(pid) + "/oom_score_adj").c_str(), O_WRONLY | O_CLOEXEC));
  if (score.open()) {
    (void)!::write(score.number(), "1000", 4);
  }
}

}  // namespace parityd::executor
