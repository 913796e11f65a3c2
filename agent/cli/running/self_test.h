// The self-test: runs Inductor's own injected faults through the real pipeline, on the user's torch (`parityd doctor
// --self-test`). One thread.
#pragma once

#include "agent/cli/context.h"
#include "agent/config.h"

namespace parityd::agent {

/// Runs a clean control and the injected relu faults `compile_error`, `runtime_error` and `accuracy` through gate,
/// signature and draft in a temporary state folder. True if exactly the three faults became findings. Prints its
/// results.
[[nodiscard]] bool self_test(Context& context, const Config& config);

}  // namespace parityd::agent
