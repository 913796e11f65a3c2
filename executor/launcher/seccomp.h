// The system calls a program may not make. Everything else is allowed: CUDA, compilers and Python use most of them.
#pragma once

#include <string>

namespace parityd::launcher {

/// Filters this thread and all it starts, for good; needs no_new_privs. Empty, or why it cannot be had.
[[nodiscard]] std::string filter_system_calls();

}  // namespace parityd::launcher
