// A cold process for each program: the same launcher, sandbox and protocol as the pool's, but nothing is primed and the
// process ends with its program. One thread.
#pragma once

#include "tests/bench/lane.h"

namespace parityd::bench {

class FreshLane : public Lane {
 public:
  using Lane::Lane;

  [[nodiscard]] bool free() const override { return !running() && !program(); }
  void give(const Program& program) override;

 private:
  void hear(const std::string& line) override;
  void ended(executor::ExitState how, const std::string& words) override;

  void on(const executor::Hello& hello);
  void on(const executor::StepStarted& step);
  void on(const executor::RunResult& result);
  template <class Other>
  void on(const Other& /*other*/) {}
  /// The time since the last call went to `part_`; from now on it goes to `next`.
  void pass_to(std::string next);

  int number_ = 0;
  std::string part_;
  executor::TimePoint since_;
  std::map<std::string, double> parts_;
  std::optional<std::string> answer_;  // the trouble of a run that came to its end; empty text: none
};

}  // namespace parityd::bench
