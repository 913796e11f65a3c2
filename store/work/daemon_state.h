// The daemon's own tables: requests of other processes, its small state, events. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

struct RequestRow {
  Id id = 0;
  std::string command;    // "stop", "import", "known", "triage", "inspection", …
  std::string arguments;  // JSON
  std::string who;
  Millis created_at = 0;
};

/// Requests: the one table that other processes write. One thread.
class Requests : public Table {
 public:
  using Table::Table;

  Id add(const RequestRow& row);
  /// In the order they were made. Of programs to import, of which there may be a million, only the `imports` oldest; a
  /// negative number: all.
  [[nodiscard]] std::vector<RequestRow> pending(int imports = -1) const;
  /// The number of requests without a result, imports included.
  [[nodiscard]] std::int64_t waiting() const;
  /// Marks the request as applied: `result` is the answer for the process that made it.
  void end(Id id, const std::string& result, Millis at);
  [[nodiscard]] std::optional<std::string> result(Id id) const;  // set once applied
};

/// The daemon's own small state: "seed_position", "started_at", … One thread.
class Values : public Table {
 public:
  using Table::Table;

  void set(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
};

struct EventRow {
  Id id = 0;
  Millis at = 0;
  std::string level, what, text;
};

/// Events of the daemon. One thread.
class Events : public Table {
 public:
  using Table::Table;

  void add(const std::string& level, const std::string& what, const std::string& text, Millis at);
  [[nodiscard]] std::vector<EventRow> recent(int limit) const;  // newest first
  /// Events with a smaller id than `before`, newest first.
  [[nodiscard]] std::vector<EventRow> before(Id before, int limit) const;
};

}  // namespace parityd::store
