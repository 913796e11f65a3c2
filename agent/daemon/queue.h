// The queue: programs get a place on a warm worker, in the group furthest behind its share. One thread (the loop's),
// inside its transaction.
#pragma once

#include <optional>
#include <vector>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/supply/placement.h"

namespace parityd::agent {

class Queue {
 public:
  /// `shares`: of the programs, a group of the pool each; 1 where there is none. References outlive it.
  Queue(Workshop& shop, Programs& programs, std::vector<double> shares)
      : shop_(shop), programs_(programs), shares_(std::move(shares)) {}

  /// Begins what there are places for. `first_wait`: programs that this session counts as taken wait.
  void service(bool first_wait);
  /// Some wait for a worker: what a provider has not answered yet waits for nobody.
  [[nodiscard]] bool waits() const;
  /// Programs take every place of the group.
  [[nodiscard]] bool takes_all(executor::GroupIndex group) const;
  /// Nothing is left that will be begun.
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
  std::vector<int> given_;  // places given away this turn, before the pool knows
};

}  // namespace parityd::agent
