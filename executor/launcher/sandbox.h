// Builds the sandbox around one child: tries every layer that is asked for, goes on without those that this machine
// does not grant, and knows why. For a process with one thread only.
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
  pid_t child = -1;   // to wait for and to kill: the init of a new pid namespace, or the program itself
  Descriptor status;  // the program's wait status comes out here, as an int, when `own_init`
  bool own_init = false;
};

/// Called in the sandbox; executes the program and does not return.
using Become = std::function<void(const Layers& layers, const std::optional<confine::ChildRoom>& children)>;

/// Makes scratch ready and starts a child in the sandbox. Throws std::system_error when not even a plain child can be
/// had, std::filesystem::filesystem_error when scratch cannot be made.
[[nodiscard]] Sandboxed start_sandboxed(const Arguments& arguments, const Become& become);

/// Gives the caches, filled by a run with `build_cache`, back to the daemon, so that no worker owns them.
void take_cache_back(const Arguments& arguments);

}  // namespace parityd::launcher
