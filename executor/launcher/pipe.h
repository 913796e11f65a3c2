// Pipes, and what else a process does to all its descriptors.
#pragma once

#include "executor/confine/descriptor.h"

namespace parityd::launcher {

using executor::Descriptor;

struct Pipe {
  Descriptor read, write;
};

/// Both ends close on exec. Throws std::system_error.
[[nodiscard]] Pipe make_pipe();

/// Closes every descriptor from `first` on.
void close_from(int first);

// The end of a process that stands for another one.

/// Every signal comes again as by default.
void restore_signals();

/// Ends the way a process with this wait status did, without leaving a core of our own; as shells tell it where signals
/// cannot end us, the first process of a container: then, and after an exit, the status to exit with is returned.
[[nodiscard]] int end_like(int wait_status);

}  // namespace parityd::launcher
