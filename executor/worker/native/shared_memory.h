// Memory that a process shares with its children for writing.
#pragma once

namespace parityd::worker {

/// Turns all shared writable memory of this process into private memory at the same addresses. A child must not be able
/// to write to its parent's memory, yet must not lack it: priming makes locks there (multiprocessing's; tqdm has one),
/// which the compiler takes. What cannot be copied, is large (64 MiB), or belongs to a device is withheld from children
/// (MADV_DONTFORK). For a process with one thread. Throws std::system_error.
void own_shared_memory();

}  // namespace parityd::worker
