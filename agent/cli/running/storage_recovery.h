// Handles failures of the database's file or disk in `parityd run`: waits, or saves what is left. One thread.
#pragma once

#include <functional>

#include "agent/cli/context.h"
#include "agent/config.h"
#include "agent/daemon/loop/signals.h"

namespace parityd::agent {

/// Calls `open_and_run`, which opens the database, sets `begun` once the daemon runs with it, and throws
/// store::StoreError. REQUIRES: the lock is held.
/// - No space, no write permission or a failing disk, once begun: reports it, waits idle until the database can be
///   opened and written again, and calls `open_and_run` again; everything uncommitted runs again as after a kill. A
///   signal to stop ends the wait.
/// - Damage: sets the file aside, saves intact data into a new one, exit code 3.
/// - Other errors are passed on to the caller.
void with_recovery(Context& context, const Config& config, const Signals& signals,
                   const std::function<void(bool& begun)>& open_and_run);

}  // namespace parityd::agent
