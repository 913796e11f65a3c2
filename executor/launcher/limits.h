// What a program may use up before its own calls fail. Nothing here needs a privilege.
#pragma once

#include <string>

namespace parityd::launcher {

/// `counted_apart`: processes are counted in a user namespace of the worker's own, else over all that the user runs.
/// `gpu`: CUDA needs more private memory. Empty, or why not all of it could be done.
[[nodiscard]] std::string set_limits(bool counted_apart, bool gpu);

}  // namespace parityd::launcher
