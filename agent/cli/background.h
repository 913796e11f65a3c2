// Starts this very command again behind the terminal. Any thread.
#pragma once

#include "agent/cli/context.h"

namespace parityd::agent {

/// Starts the command in a session of its own, its output in STATE/parityd.log, and waits until it holds the daemon's
/// lock. Returns the exit code: 0, or 3 after printing why it did not start.
[[nodiscard]] int start_in_background(Context& context);

}  // namespace parityd::agent
