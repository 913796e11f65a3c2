// What programs brought and cost, told to their strategies' arms as each program ends. One thread (the loop's), inside
// its transaction.
#pragma once

#include <map>

#include "agent/daemon/supply/scheduler.h"
#include "store/store.h"

namespace parityd::agent {

class Earnings {
 public:
  /// Goes on with what the store's arms had earned.
  explicit Earnings(store::Store& store);

  [[nodiscard]] Scheduler& strategies() { return strategies_; }

  /// Worker time that telling the program's verdict took.
  void took(store::Id program, double seconds) { open_[program].seconds += seconds; }
  void reached(store::Id program, int new_features) { open_[program].reward.new_features += new_features; }
  void found(store::Id program, bool known);
  /// The program has its verdict. Of those that no strategy was chosen for (imported, bred, replayed) nothing is
  /// told.
  void finished(const store::ProgramRow& program, store::Millis wall);
  /// A reply of which no program came.
  void wasted(const store::ReplyRow& reply, store::Millis wall);

 private:
  struct Open {
    double seconds = 0;
    Reward reward;
  };
  void tell(const store::ReplyRow& reply, double points, double dollars, store::Millis wall);

  store::Store& store_;
  Scheduler strategies_;
  std::map<store::Id, Open> open_;  // programs without a verdict
};

}  // namespace parityd::agent
