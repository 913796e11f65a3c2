// Limits the share of a group's worker time for confirmation while programs wait (rounds, reduction and attribution: 30
// %). Per group, because each suspect is confirmed by one: otherwise a slow group's few suspects would use up the share
// of all others. Pure; one thread.
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
  /// Adds the worker seconds of a finished examination.
  void spent(executor::GroupIndex group, bool confirming, double seconds) {
    (confirming ? groups_[group].confirming : groups_[group].screening) += seconds;
  }
  /// Whether another suspect or another trial of a reduction may start. Always, if no programs wait.
  [[nodiscard]] bool may_confirm(executor::GroupIndex group, bool programs_wait) const {
    const auto known = groups_.find(group);
    const Spent spent = known == groups_.end() ? Spent{} : known->second;
    return !programs_wait || spent.confirming <= kAdvance + share_ * (spent.confirming + spent.screening);
  }
  /// How many suspects of a group with this many workers may be in their first round at once, and how many may be
  /// reduced at once. While programs wait, as many as the share keeps busy: more would take the time that trials of the
  /// earlier ones need, and none would complete.
  [[nodiscard]] int at_once(int workers, bool programs_wait) const {
    return programs_wait ? std::min(workers, std::max(2, static_cast<int>(std::ceil(share_ * workers)))) : workers;
  }

 private:
  struct Spent {
    double confirming = 0, screening = 0;
  };
  /// Seconds granted in advance, so that a first suspect need not wait until its share has accumulated.
  static constexpr double kAdvance = 60;
  double share_;
  std::map<executor::GroupIndex, Spent> groups_;
};

}  // namespace parityd::agent
