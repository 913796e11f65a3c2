// How much of the workers' time confirming may take while programs wait (DESIGN §3: gate, reduction and attribution 30
// %). Pure; one thread.
#pragma once

namespace parityd::agent {

class ConfirmationShare {
 public:
  explicit ConfirmationShare(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Worker seconds of an examination that has ended.
  void spent(bool confirming, double seconds) { (confirming ? confirming_ : screening_) += seconds; }
  /// Whether another suspect, or another trial of a reduction, may begin. With nothing else to do, always.
  [[nodiscard]] bool may_confirm(bool programs_wait) const {
    return !programs_wait || confirming_ <= kAdvance + share_ * (confirming_ + screening_);
  }

 private:
  /// A first suspect does not wait for the time that its share will have come to.
  static constexpr double kAdvance = 60;
  double share_;
  double confirming_ = 0, screening_ = 0;
};

}  // namespace parityd::agent
