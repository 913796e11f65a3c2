// What happened. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

struct EventRow {
  Id id = 0;
  Millis at = 0;
  std::string level, what, text;
};

/// What happened. One thread.
class Events {
 public:
  explicit Events(Connection& connection) : connection_(connection) {}

  void add(const std::string& level, const std::string& what, const std::string& text, Millis at);
  [[nodiscard]] std::vector<EventRow> recent(int limit) const;  // newest first
  [[nodiscard]] std::vector<EventRow> before(Id before, int limit) const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
