// Whom the kernel ends first when memory runs out (proc(5), oom_score_adj).
#pragma once

#include <sys/types.h>

namespace parityd::executor {

/// That process and what it starts from now on, not the daemon: shared memory is limited by nothing else. Raising needs
/// no privilege; where it fails all the same the process is as before. Thread-safe.
void go_first_when_memory_ends(pid_t pid);

}  // namespace parityd::executor
