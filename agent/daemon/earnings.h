// What programs brought and cost, told to the scheduler's arms as each program ends. One thread (the loop's), inside
// its transaction.
#pragma once

#include <map>
#include <string>

#include "agent/daemon/scheduler.h"
#include "store/store.h"

namespace parityd::agent {

/// The arm of a strategy of prompts.
[[nodiscard]] std::string arm_of(const std::string& strategy);

class Earnings {
 public:
  /// Goes on with what the store's arms had earned.
  explicit Earnings(store::Store& store);

  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }

  /// Worker time that telling the program's verdict took.
  void took(store::Id program, double seconds) { open_[program].seconds += seconds; }
  void reached(store::Id program, int new_features) { open_[program].reward.new_features += new_features; }
  void found(store::Id program, bool known);
  /// The program has its verdict. Of those that no model wrote nothing is told.
  void finished(const store::ProgramRow& program, store::Millis wall);
  /// A reply of which no program came.
  void wasted(const store::ReplyRow& reply, store::Millis wall);

 private:
  struct Open {
    double seconds = 0;
    Reward reward;
  };
  void observe(const std::string& strategy, double points, double dollars, store::Millis wall);

  store::Store& store_;
  Scheduler scheduler_;
  std::map<store::Id, Open> open_;  // programs without a verdict
};

}  // namespace parityd::agent
