// What `parityd run` does when the database's file or its disk fails: it waits, or saves what is left. One thread.
#pragma once

#include <functional>

#include "agent/cli/context.h"
#include "agent/config.h"
#include "agent/daemon/loop/signals.h"

namespace parityd::agent {

/// Calls `open_and_run`, which opens the database, sets `begun` once the daemon runs in it, and throws
/// store::StoreError. The lock must be held.
/// - No space, no right to write, a failing disk, once begun: says so, waits without work until the database can be
///   opened and written again, and calls it anew; everything not committed runs again as after a kill. A signal to stop
///   ends the wait.
/// - Damage: the file is set aside, what is whole is saved into a new one, exit code 3.
/// - Anything else goes on to the caller.
void with_recovery(Context& context, const Config& config, const Signals& signals,
                   const std::function<void(bool& begun)>& open_and_run);

}  // namespace parityd::agent
