// Applies requests: the daemon to itself within a turn, a command to the database while no daemon runs. One thread.
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

/// What a result begins with when nothing was regrouped.
inline constexpr std::string_view kRefused = "refused: ";
/// Of the store's small values: when and where the last backup was made.
inline constexpr const char* kLastBackup = "last_backup";

/// To what, for whom and when.
struct Applying {
  store::Store& store;
  Recorder& recorder;
  std::string who;
  store::Millis now = 0;
  std::chrono::seconds known_max_age{};
};

struct Applied {
  std::string result;    // the row's
  bool refused = false;  // nothing was changed; `result` says why
  bool changed = false;  // findings are not what they were
  int released = 0;      // findings that are held(stale) no more
  std::string line;      // for the terminal of a daemon; empty: nothing
  std::string note;      // for its events, under the request's command; empty: nothing
  std::optional<std::pair<store::EventKind, std::string>> alarm;
};

/// Writes to the store alone: what else follows for a daemon is in the answer. REQUIRES: a transaction, and neither
/// Stop nor Import, which only a daemon can do (those are refused).
[[nodiscard]] Applied apply(const Request& request, const Applying& to);

}  // namespace parityd::agent::requests
