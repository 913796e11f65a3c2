// The daemon's own small state: "seed_position", "started_at", … Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

/// The daemon's own small state: "seed_position", "started_at", … One thread.
class Values {
 public:
  explicit Values(Connection& connection) : connection_(connection) {}

  void set(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
