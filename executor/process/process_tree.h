// The processes below one process, as /proc shows them. For killing a tree whose members left their process group.
// Thread-safe; a process may come or go while it is being looked at.
#pragma once

#include <sys/types.h>

#include <vector>

namespace parityd::executor {

/// Children, their children and so on, not `root` itself. Empty where /proc does not tell.
[[nodiscard]] std::vector<pid_t> descendants(pid_t root);

/// The same less those that are over: zombies, and processes killed that have not gone yet (proc(5), stat).
[[nodiscard]] std::vector<pid_t> living_descendants(pid_t root);

/// SIGKILL to every descendant of `root`, again until no new one appears (a process may fork while its turn has not
/// come). `root` itself is left alone: as a subreaper it adopts, and so shows, what its children leave behind.
void kill_descendants(pid_t root);

/// The same, but for those in `spared`, which were there before: their new descendants go.
void kill_descendants_but(pid_t root, const std::vector<pid_t>& spared);

}  // namespace parityd::executor
