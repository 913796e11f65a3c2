// The system calls a program may not make. Everything else is allowed: CUDA, compilers and Python use most of them.
// Holds for the calling thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parityd::launcher {

/// What a connection could reach. `own`: only the sandbox's own processes, because it has its own network and its own
/// files (compute-sanitizer talks this way to the process it watches). `host`: the host's sockets, too.
enum class Reach { own, host };

struct CallRules {
  Reach reach = Reach::own;     // with Reach::host nothing may connect
  bool builds_rooms = false;    // a fork parent, which runs no program, makes namespaces for its children
  std::optional<pid_t> spared;  // no call may act on the process with this number
};

/// Filters this thread and everything it starts, permanently; needs no_new_privs. Returns empty, or the reason for the
/// failure.
[[nodiscard]] std::string filter_system_calls(const CallRules& rules);

/// The same filter as a program in the kernel's format (seccomp(2)), for another process to load. Throws
/// std::system_error.
[[nodiscard]] std::vector<std::uint8_t> filter_program(const CallRules& rules);

}  // namespace parityd::launcher
