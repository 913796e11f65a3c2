// Faults of parityd and its surroundings, counted in the database: `alarms`, `checks` and `outgoing`. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/work/event_kind.h"

namespace parityd::store {

/// One kind of fault and the part it concerns. Times are Unix milliseconds.
struct AlarmRow {
  EventKind kind = EventKind::harness_failed;
  std::string subject;  // a provider's or a group's name; empty: the daemon as a whole
  std::int64_t times = 0;
  std::int64_t first_at = 0, last_at = 0;
  std::string text;
  std::optional<std::int64_t> over_at;
};

/// Worth showing now: it is active, or it is a warning or an error that occurred and passed within the last day.
[[nodiscard]] bool is_current(const AlarmRow& row, std::int64_t now);

/// The results of parityd's self-tests.
struct Checks {
  std::int64_t passed = 0, failed = 0;
};

/// An outgoing or incoming path: when it last worked, when it last failed, and why.
struct OutgoingRow {
  std::string path;
  std::optional<std::int64_t> succeeded_at, failed_at;
  std::string failure;
};

/// Alarms, with counts; raised by agent/daemon/loop/alarms.h. One thread.
class Alarms : public Table {
 public:
  using Table::Table;

  /// Adds `times` to its count. If `row.over_at` is set, it is no longer active.
  void count(const AlarmRow& row);
  /// Called when the daemon starts: alarms that were active at the last end are raised again if they still hold.
  void end_all(Millis at);
  [[nodiscard]] std::vector<AlarmRow> all() const;  // by kind and subject
  /// Adds to the sums of the day (UTC) that contains `at`.
  void add_checks(const std::string& name, std::int64_t passed, std::int64_t failed, Millis at);
  [[nodiscard]] Checks checks(const std::string& name, Millis since) const;
  /// Notes that the path worked (`failure` empty) or failed.
  void note_outgoing(const std::string& path, const std::string& failure, Millis at);
  /// The noted paths, and each provider that was asked (`provider NAME`), by path.
  [[nodiscard]] std::vector<OutgoingRow> outgoing() const;
};

}  // namespace parityd::store
