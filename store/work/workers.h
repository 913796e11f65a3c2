// What workers did: histories of suspects, and where worker time goes. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

struct WorkerSecondsRow {
  std::string group;       // name of a group of workers
  std::string occupation;  // import, prime, eager, compile, compare, reset, canary, gate, screen, idle
  double seconds = 0;
};

/// What workers did: histories of suspects, and where worker time goes. One thread.
class Workers {
 public:
  explicit Workers(Connection& connection) : connection_(connection) {}

  /// The programs a warm worker had run before this suspect, oldest first. Once a program; later calls replace it.
  void set_history(Id program, const std::vector<Id>& earlier);
  /// Adds to the sums of the day (UTC) `at` lies in.
  void add_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at);
  /// Sums since the start of the day `since` lies in, ordered by group and occupation.
  [[nodiscard]] std::vector<WorkerSecondsRow> seconds(Millis since) const;
  /// Sums of the day (UTC) `at` lies in, in the same order.
  [[nodiscard]] std::vector<WorkerSecondsRow> seconds_of_day(Millis at) const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
