// What went wrong here, as the database counts it: rows of `alarms`, `checks` and `outgoing`. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/work/event_kind.h"

namespace parityd::store {

/// One kind of fault and whom it concerns. Times are Unix milliseconds.
struct AlarmRow {
  EventKind kind = EventKind::harness_failed;
  std::string subject;  // a provider's or a group's name; empty: the daemon as a whole
  std::int64_t times = 0;
  std::int64_t first_at = 0, last_at = 0;
  std::string text;
  std::optional<std::int64_t> over_at;
};

/// Worth telling now: it holds, or it is a warning or an error that happened and passed within the last day.
[[nodiscard]] bool is_current(const AlarmRow& row, std::int64_t now);

/// How parityd's tests of itself went.
struct Checks {
  std::int64_t passed = 0, failed = 0;
};

/// Something that goes out or comes in: when it last worked and last did not, and why not.
struct OutgoingRow {
  std::string path;
  std::optional<std::int64_t> succeeded_at, failed_at;
  std::string failure;
};

}  // namespace parityd::store
