// What may be forgotten, in steps that take milliseconds each. Times are Unix milliseconds.
#pragma once

#include <cstdint>

#include "store/base/table.h"
#include "store/work/daemon_state.h"

namespace parityd::store {

/// What may be forgotten, in steps that take milliseconds each. One thread.
class Retention : public Table {
 public:
  Retention(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Of at most `limit` consistent programs, the oldest first: runs, measurements and verdicts of those that came
  /// before program `before` or ended before `finished_before` go, but for one in fifty and what belongs to a finding.
  /// The programs stay. How many were looked at; 0: none is due.
  int forget_consistent(Id before, Millis finished_before, int limit);
  /// The newest consistent program with so many newer ones; 0: there are not so many.
  [[nodiscard]] Id newest_consistent_but(std::int64_t number) const;
  /// Texts that no inspection refers to and that are older than an hour go, at most `limit`; how many did.
  int collect_blobs(Millis now, int limit);

 private:
  Values& values_;
};

}  // namespace parityd::store
