// Which namespaces the layers ask for, and which of them the kernel refuses.
#pragma once

#include <sys/types.h>

#include <string>

#include "executor/launcher/layers.h"

namespace parityd::launcher {

/// As fork(), with namespaces. The C library's wrapper wants a stack; a process with one thread needs none.
[[nodiscard]] pid_t clone_process(int flags);

/// `identity` processes get their user namespace later, as who they will be.
[[nodiscard]] int clone_flags(const Layers& layers);

/// Goes on as the first process of a new process namespace with its own /proc; the caller stays behind, waits for it
/// and ends as it does. Needs CAP_SYS_ADMIN. Empty, or why it cannot be had: then nothing has changed.
[[nodiscard]] std::string enter_process_namespace();

/// Tries each namespace alone and switches off those that cannot be had. For when all together were refused with
/// `error`: afterwards at least one is off.
void switch_off_refused(Layers& layers, int error);

}  // namespace parityd::launcher
