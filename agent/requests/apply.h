// Applies requests: called by the daemon within a turn, or by a command on the database while no daemon runs. One
// thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/daemon/findings/recorder.h"
#include "agent/requests/request.h"
#include "store/work/event_kind.h"

namespace parityd::agent::requests {

/// Prefix of the result when nothing was regrouped.
inline constexpr std::string_view kRefused = "refused: ";
/// Key in the store's values: when and where the last backup was made.
inline constexpr const char* kLastBackup = "last_backup";

/// What a request is applied to, for whom and when.
struct Applying {
  store::Store& store;
  Recorder& recorder;
  std::string who;
  store::Millis now = 0;
  std::chrono::seconds known_max_age{};
};

struct Applied {
  std::string result;    // stored in the request's row
  bool refused = false;  // nothing was changed; `result` has the reason
  bool changed = false;  // findings have changed
  int released = 0;      // findings that are no longer held(stale)
  std::string line;      // for the daemon's terminal; empty: nothing
  std::string note;      // for the daemon's events, under the request's command; empty: nothing
  std::optional<std::pair<store::EventKind, std::string>> alarm;
};

/// Only writes to the store; anything else for the daemon to do is in the result. REQUIRES: an open transaction. Stop
/// and Import are refused: only a daemon can carry them out.
[[nodiscard]] Applied apply(const Request& request, const Applying& to);

}  // namespace parityd::agent::requests
