// Pipes, and other operations on all descriptors of a process. For a process with one thread.
#pragma once

#include "executor/confine/descriptor.h"

namespace parityd::launcher {

using executor::Descriptor;

struct Pipe {
  Descriptor read, write;
};

/// Both ends are close-on-exec. Throws std::system_error.
[[nodiscard]] Pipe make_pipe();

/// Closes every descriptor from `first` on.
void close_from(int first);

// The end of a process that represents another one.

/// Restores the default action of every signal.
void restore_signals();

/// Ends this process the way one with this wait status ended, without dumping a core of our own. Returns the status to
/// exit with after a normal exit, and when signals cannot end us (the first process of a container): 128 + signal, as
/// shells report it.
[[nodiscard]] int end_like(int wait_status);

}  // namespace parityd::launcher
