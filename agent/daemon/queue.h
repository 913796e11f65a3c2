// The queue: assigns programs to places on warm workers, in the group furthest behind its share. One thread (the
// loop's), inside its transaction.
#pragma once

#include <optional>
#include <vector>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/supply/placement.h"

namespace parityd::agent {

class Queue {
 public:
  /// `shares`: share of the programs for each group of the pool; 1 for a group without one. References outlive this
  /// object.
  Queue(Workshop& shop, Programs& programs, std::vector<double> shares)
      : shop_(shop), programs_(programs), shares_(std::move(shares)) {}

  /// Starts as many programs as there are places. `first_wait`: programs that count for this session's limit must wait.
  void start_programs(bool first_wait);
  /// Some programs wait for a worker. Unanswered requests to providers do not count.
  [[nodiscard]] bool waits() const;
  /// Programs occupy every place of the group.
  [[nodiscard]] bool takes_all(executor::GroupIndex group) const;
  /// No program is left to start.
  [[nodiscard]] bool done() const;

 private:
  void refill();
  [[nodiscard]] std::optional<executor::GroupIndex> place();
  [[nodiscard]] int allowed_more(executor::GroupIndex group) const;
  [[nodiscard]] bool is_counted_first(store::Id program) const;

  Workshop& shop_;
  Programs& programs_;
  std::vector<double> shares_;
  Placement placement_;
  std::vector<int> given_;  // places assigned this turn that the pool does not know of yet
};

}  // namespace parityd::agent
