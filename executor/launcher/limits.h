// What a program may use up before its own calls fail. Nothing here needs a privilege.
#pragma once

#include <string>

namespace parityd::launcher {

/// `counted_apart`: processes are counted in a user namespace of the worker's own, else over all that the user runs.
/// `gpu`: CUDA needs more private memory. Empty, or why not all of it could be done.
[[nodiscard]] std::string set_limits(bool counted_apart, bool gpu);

/// When memory runs out the kernel ends this process and what it starts from now on, not the daemon: shared memory is
/// limited by nothing else. Where raising the score fails all is as before.
void go_first_when_memory_ends();

}  // namespace parityd::launcher
