// The first sandbox around an untrusted Python: namespaces where they can be had, own session, limits, no new
// privileges. For a process with one thread only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "executor/launcher/descriptor.h"

namespace parityd::launcher {

struct Sandboxed {
  pid_t child = -1;   // to wait for and to kill: the init of a new pid namespace, or the program itself
  Descriptor status;  // the program's wait status comes out here, as an int, when `own_init`
  bool own_init = false;
};

/// Starts a child in the strongest set of namespaces this machine grants, trying weaker ones in turn, and calls
/// `become` there with the names of the layers that are on; `become` executes the program and does not return. Throws
/// std::system_error when not even a plain child can be had.
[[nodiscard]] Sandboxed start_sandboxed(const std::function<void(const std::vector<std::string>& layers)>& become);

}  // namespace parityd::launcher
