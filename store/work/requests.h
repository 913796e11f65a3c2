// Requests: the one table that other processes write. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

struct RequestRow {
  Id id = 0;
  std::string command;    // "stop", "import", "known", "triage", "inspection", …
  std::string arguments;  // JSON
  std::string who;
  Millis created_at = 0;
};

/// Requests: the one table that other processes write. One thread.
class Requests {
 public:
  explicit Requests(Connection& connection) : connection_(connection) {}

  Id add(const RequestRow& row);
  /// In the order they were made. Of programs to import, of which there may be a million, only the `imports` that wait
  /// longest; fewer than 0: all.
  [[nodiscard]] std::vector<RequestRow> pending(int imports = -1) const;
  [[nodiscard]] std::int64_t waiting() const;
  void end(Id id, const std::string& result, Millis at);
  [[nodiscard]] std::optional<std::string> result(Id id) const;  // set once applied

 private:
  Connection& connection_;
};

}  // namespace parityd::store
