// Deletes old rows, in steps of some milliseconds each. Times are Unix milliseconds.
#pragma once

#include <cstdint>

#include "store/base/table.h"
#include "store/work/daemon_state.h"

namespace parityd::store {

/// Deletes old rows, in steps of some milliseconds each. One thread.
class Retention : public Table {
 public:
  Retention(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Examines at most `limit` consistent programs, oldest first, and deletes the runs, measurements and verdicts of
  /// those that have an id below `before` or finished before `finished_before`, except one in fifty and those that
  /// belong to a finding. The programs stay. Returns how many were examined; 0: none is due.
  int forget_consistent(Id before, Millis finished_before, int limit);
  /// The newest consistent program that has `number` newer ones; 0 if there are too few.
  [[nodiscard]] Id newest_consistent_but(std::int64_t number) const;
  /// Deletes texts that no inspection refers to and that are older than an hour, at most `limit`; returns how many.
  int collect_blobs(Millis now, int limit);

 private:
  Values& values_;
};

}  // namespace parityd::store
