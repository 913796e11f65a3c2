// The scheduler's arms. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

/// What an arm of the scheduler has earned, old pulls counting less with each new one.
struct ArmRow {
  std::string name;        // "strategy/dtypes"
  double reward = 0;       // points
  double cost = 0;         // dollars, worker time included
  std::int64_t pulls = 0;  // ever
};

/// The scheduler's arms. One thread.
class Arms {
 public:
  explicit Arms(Connection& connection) : connection_(connection) {}

  void set(const ArmRow& arm, Millis at);
  [[nodiscard]] std::vector<ArmRow> all() const;  // by name

 private:
  Connection& connection_;
};

}  // namespace parityd::store
