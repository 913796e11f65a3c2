// Memory that a process shares with its children for writing.
#pragma once

namespace parityd::worker {

/// Turns all that this process maps so into memory of its own, where it lies. No child may write to memory of its
/// parent, and none may miss it: priming makes locks there (multiprocessing's; tqdm has one), which the compiler takes.
/// What cannot be copied, what is large (64 MiB), and a device's memory, is kept from children (MADV_DONTFORK). Meant
/// for a process with one thread. Throws std::system_error.
void own_shared_memory();

}  // namespace parityd::worker
