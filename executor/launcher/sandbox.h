// Builds the sandbox around one child: tries every requested layer, goes on without those that this machine does not
// grant, and records why. Only for a process with one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "executor/confine/child_room.h"
#include "executor/launcher/arguments.h"
#include "executor/launcher/layers.h"
#include "executor/launcher/pipe.h"

namespace parityd::launcher {

struct Sandboxed {
  pid_t child = -1;   // the process to wait for and to kill: the init of a new process namespace, or the program itself
  Descriptor status;  // if `own_init`, the program's wait status can be read here as an int
  bool own_init = false;
};

/// Called in the sandbox; executes the program and does not return.
using Become = std::function<void(const Layers& layers, const std::optional<confine::ChildRoom>& children)>;

/// Prepares scratch and starts a child in the sandbox. Throws std::system_error if not even a plain child can be
/// started, std::filesystem::filesystem_error if scratch cannot be created.
[[nodiscard]] Sandboxed start_sandboxed(const Arguments& arguments, const Become& become);

/// Gives the caches filled by a run with `build_cache` back to the daemon, so that no worker owns them.
void take_cache_back(const Arguments& arguments);

}  // namespace parityd::launcher
