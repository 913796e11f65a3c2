// The ready findings for which the operator's command was run ([notify], docs/notification.md). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "oracle/names.h"
#include "store/base/table.h"

namespace parityd::store {

using oracle::name;

enum class NotificationState {
  off,      // no command was configured when the finding became ready: no notification will follow
  waiting,  // for its turn, or for another attempt
  running,  // the command was about to start; if the daemon was killed, it is unknown whether it ran
  sent,     // exited with 0
  failed,   // all attempts failed
  dropped,  // the finding was no longer ready and new when its turn came
};
constexpr auto names(NotificationState) {
  return std::to_array<std::string_view>({"off", "waiting", "running", "sent", "failed", "dropped"});
}

struct NotificationRow {
  std::int64_t finding = 0;
  NotificationState state = NotificationState::waiting;
  int attempts = 0;                      // how often the command was started
  std::optional<std::int64_t> begun_at;  // Unix milliseconds, the last time
  std::string result;                    // how the last attempt ended
};

/// Notifications about ready findings. One thread.
class Notifications : public Table {
 public:
  using Table::Table;

  /// Adds a row of that state (waiting or off) for each ready, new finding that has none. An index makes this cheap.
  void add(NotificationState state);
  void set(const NotificationRow& row);
  [[nodiscard]] std::vector<NotificationRow> open() const;  // waiting or running, oldest finding first
  /// The number of findings whose last attempt started in this time.
  [[nodiscard]] std::int64_t begun(Millis since, Millis until) const;
};

}  // namespace parityd::store
