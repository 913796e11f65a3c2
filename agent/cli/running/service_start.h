// What `parityd run` does for the service it is, before and beside the daemon's loop: log, limits, what a killed daemon
// left behind, reloads. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/providers.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/service.h"

namespace parityd::agent {

/// `behind` the terminal the log is never nowhere.
[[nodiscard]] LogSettings log_settings(const Config& config, const Context& context, bool behind);

/// Where a daemon keeps which processes are its own.
[[nodiscard]] std::filesystem::path process_records(const Context& context);

/// Ends what a killed daemon left running; only while the lock is held. What there is to tell.
[[nodiscard]] std::vector<StartNote> tidy_up(const Context& context, const DaemonLock& lock);

/// As many open files as the system lets us have; what there is to tell if that is too few for these workers.
[[nodiscard]] std::vector<StartNote> make_room_for(const Engine& engine, const Config& config);

/// What a reload touches. All outlive the service's use of it.
struct Reloadable {
  Context& context;
  Config& config;
  std::function<void(Config&)> override_by_options;  // as at the start
  KeyRing& ring;
  OpenedProvider& provider;
  bool behind = false;
};

/// Reads configuration and keys anew. All or nothing: what is wrong with either leaves everything as it was.
[[nodiscard]] tl::expected<Reloaded, std::string> reload(const Reloadable& parts, Service& service);

}  // namespace parityd::agent
