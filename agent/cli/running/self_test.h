// The self-test: Inductor's own injected faults through the real pipeline, on the user's own torch
// (`parityd doctor --self-test`).
#pragma once

#include "agent/cli/context.h"
#include "agent/config.h"

namespace parityd::agent {

/// Runs a clean control and the injected relu faults `compile_error`, `runtime_error` and `accuracy` through gate,
/// signature and draft in a throw-away state folder. True when exactly the three faults became findings. Prints what it
/// sees.
[[nodiscard]] bool self_test(Context& context, const Config& config);

}  // namespace parityd::agent
