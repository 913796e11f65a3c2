// Room for trials: how many more runs of reductions and sweeps each group's warm workers may be given now. A trial
// waits in the queue of its own group only, so that one slow group never keeps another's workers idle. Pure; one
// thread.
#pragma once

#include <utility>
#include <vector>

#include "executor/pool/workers.h"

namespace parityd::agent {

class TrialRoom {
 public:
  /// `places`: a number a group; below zero counts as none.
  explicit TrialRoom(std::vector<int> places) : places_(std::move(places)) {}

  [[nodiscard]] int left(executor::GroupIndex group) const {
    return group < places_.size() && places_[group] > 0 ? places_[group] : 0;
  }
  void take(executor::GroupIndex group, int trials) {
    if (group < places_.size()) places_[group] -= trials;
  }

 private:
  std::vector<int> places_;
};

}  // namespace parityd::agent
