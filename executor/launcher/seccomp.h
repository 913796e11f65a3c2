// The system calls a program may not make. Everything else is allowed: CUDA, compilers and Python use most of them.
#pragma once

#include <string>

namespace parityd::launcher {

/// What a connection could reach: only the sandbox's own processes, where its network and its files are its own
/// (compute-sanitizer talks to the process it watches that way), else the host's sockets too.
enum class Reach { own, host };

/// Filters this thread and all it starts, for good; needs no_new_privs. With Reach::host nothing may connect. Empty, or
/// why it cannot be had.
[[nodiscard]] std::string filter_system_calls(Reach reach);

}  // namespace parityd::launcher
