// The parts of `parityd run` around the daemon's loop: log, limits, leftovers of a killed daemon, reloads. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/providers.h"
#include "agent/daemon/findings/fixer.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/service.h"

namespace parityd::agent {

/// The log's settings. If detached (`behind`), there is always a log file.
[[nodiscard]] LogSettings log_settings(const Config& config, const Context& context, bool behind);

/// Where a daemon records its processes.
[[nodiscard]] std::filesystem::path process_records(const Context& context);

/// Ends processes that a killed daemon left running. REQUIRES: the lock is held. Returns what to report.
[[nodiscard]] std::vector<StartNote> tidy_up(const Context& context, const DaemonLock& lock);

/// Raises the limit of open files as far as the system allows; returns a note if that is too low for these workers.
[[nodiscard]] std::vector<StartNote> make_room_for(const Engine& engine, const Config& config);

/// How the daemon starts `parityd fix`: this program, its state folder, configuration and environment, with the keys of
/// the providers that may be asked. REQUIRES: `ring` outlives the daemon.
[[nodiscard]] FixCommand fix_command(const Context& context, KeyRing& ring);

/// What a reload changes. All parts outlive the service's use of them.
struct Reloadable {
  Context& context;
  Config& config;
  std::function<void(Config&)> override_by_options;  // as at startup
  KeyRing& ring;
  OpenedProvider& provider;
  bool behind = false;
};

/// Rereads configuration and keys. All or nothing: an error in either changes nothing.
[[nodiscard]] tl::expected<Reloaded, std::string> reload(const Reloadable& parts, Service& service);

}  // namespace parityd::agent
