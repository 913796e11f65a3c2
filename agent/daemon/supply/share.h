// How much of a group's worker time confirming may take while programs wait (gate, reduction and attribution
// 30 %). By group, for a suspect is confirmed by one: what a slow group spends on its few would otherwise leave nothing
// for the others'. Pure; one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "executor/pool/workers.h"

namespace parityd::agent {

class ConfirmationShare {
 public:
  explicit ConfirmationShare(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Worker seconds of an examination that has ended.
  void spent(executor::GroupIndex group, bool confirming, double seconds) {
    (confirming ? groups_[group].confirming : groups_[group].screening) += seconds;
  }
  /// Whether another suspect, or another trial of a reduction, may begin. With nothing else to do, always.
  [[nodiscard]] bool may_confirm(executor::GroupIndex group, bool programs_wait) const {
    const auto known = groups_.find(group);
    const Spent spent = known == groups_.end() ? Spent{} : known->second;
    return !programs_wait || spent.confirming <= kAdvance + share_ * (spent.confirming + spent.screening);
  }
  /// How many suspects of a group with so many workers may have their first round, and how many may be reduced. While
  /// programs wait, as many as the share keeps busy: more of them would take what the trials of those before them need,
  /// and none would come to its end.
  [[nodiscard]] int at_once(int workers, bool programs_wait) const {
    return programs_wait ? std::min(workers, std::max(2, static_cast<int>(std::ceil(share_ * workers)))) : workers;
  }

 private:
  struct Spent {
    double confirming = 0, screening = 0;
  };
  /// A first suspect does not wait for the time that its share will have come to.
  static constexpr double kAdvance = 60;
  double share_;
  std::map<executor::GroupIndex, Spent> groups_;
};

}  // namespace parityd::agent
