// Credits rewards and costs of finished programs to their strategies' arms. One thread (the loop's), inside its
// transaction.
#pragma once

#include <map>

#include "agent/daemon/supply/scheduler.h"
#include "store/store.h"

namespace parityd::agent {

class Earnings {
 public:
  /// Continues from the arms in the store.
  explicit Earnings(store::Store& store);

  [[nodiscard]] Scheduler& strategies() { return strategies_; }

  /// Adds worker time spent on the program's verdict.
  void took(store::Id program, double seconds) { open_[program].seconds += seconds; }
  void reached(store::Id program, int new_features) { open_[program].reward.new_features += new_features; }
  void found(store::Id program, bool known);
  /// The program has its verdict. Programs for which no strategy was chosen (imported, bred, replayed) are ignored.
  void finished(const store::ProgramRow& program, store::Millis wall);
  /// A reply without a program.
  void wasted(const store::ReplyRow& reply, store::Millis wall);

 private:
  struct Open {
    double seconds = 0;
    Reward reward;
  };
  void tell(const store::ReplyRow& reply, double points, double dollars, store::Millis wall);

  store::Store& store_;
  Scheduler strategies_;
  std::map<store::Id, Open> open_;  // programs still without a verdict
};

}  // namespace parityd::agent
