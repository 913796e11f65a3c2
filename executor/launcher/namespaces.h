// Which namespaces the layers need, and which of them the kernel refuses. For a process with one thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "executor/launcher/layers.h"

namespace parityd::launcher {

/// Like fork(), with namespaces. The C library's wrapper requires a stack; a process with one thread needs none.
[[nodiscard]] pid_t clone_process(int flags);

/// Flags of clone(2) for the layers that are on. Processes with the `identity` layer enter their user namespace later,
/// under their new identity.
[[nodiscard]] int clone_flags(const Layers& layers);

/// Continues as the first process of a new process namespace with its own /proc; the caller stays behind, waits for it
/// and ends the same way. Needs CAP_SYS_ADMIN. Returns empty, or the reason for the failure: then nothing has changed.
[[nodiscard]] std::string enter_process_namespace();

/// Tries each namespace alone and switches off those that are not available. To be called when all together were
/// refused with `error`: afterwards at least one is off.
void switch_off_refused(Layers& layers, int error);

}  // namespace parityd::launcher
