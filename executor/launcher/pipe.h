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

}  // namespace parityd::launcher
