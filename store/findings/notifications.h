// Which ready findings the operator's command was run for ([notify], docs/notification.md). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parityd::store {

enum class NotificationState {
  off,      // no command was configured when the finding became ready: it is no news any more
  waiting,  // for its turn, or for another try
  running,  // the command was about to be started; after a kill nobody knows whether it was
  sent,     // it ended with 0
  failed,   // tried as often as is tried
  dropped,  // the finding was no longer ready and new when its turn came
};
[[nodiscard]] std::string_view name(NotificationState state);
[[nodiscard]] std::optional<NotificationState> notification_state_from_name(std::string_view name);

struct NotificationRow {
  std::int64_t finding = 0;
  NotificationState state = NotificationState::waiting;
  int attempts = 0;                      // how often the command was begun
  std::optional<std::int64_t> begun_at;  // Unix milliseconds, the last time
  std::string result;                    // how it ended then
};

}  // namespace parityd::store
