// Which namespaces the layers ask for, and which of them the kernel refuses.
#pragma once

#include <sys/types.h>

#include "executor/launcher/layers.h"

namespace parityd::launcher {

/// As fork(), with namespaces. The C library's wrapper wants a stack; a process with one thread needs none.
[[nodiscard]] pid_t clone_process(int flags);

/// `identity` processes get their user namespace later, as who they will be.
[[nodiscard]] int clone_flags(const Layers& layers);

/// Tries each namespace alone and switches off those that cannot be had. For when all together were refused with
/// `error`: afterwards at least one is off.
void switch_off_refused(Layers& layers, int error);

}  // namespace parityd::launcher
