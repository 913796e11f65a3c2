// The system calls a program may not make. Everything else is allowed: CUDA, compilers and Python use most of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parityd::launcher {

/// What a connection could reach: only the sandbox's own processes, where its network and its files are its own
/// (compute-sanitizer talks to the process it watches that way), else the host's sockets too.
enum class Reach { own, host };

struct CallRules {
  Reach reach = Reach::own;     // with Reach::host nothing may connect
  bool builds_rooms = false;    // a fork parent, which runs no program, makes namespaces for its children
  std::optional<pid_t> spared;  // no call may act on this process by its number
};

/// Filters this thread and all it starts, for good; needs no_new_privs. Empty, or why it cannot be had.
[[nodiscard]] std::string filter_system_calls(const CallRules& rules);

/// The same filter as a program that the kernel takes (seccomp(2)), for another to load. Throws std::system_error.
[[nodiscard]] std::vector<std::uint8_t> filter_program(const CallRules& rules);

}  // namespace parityd::launcher
