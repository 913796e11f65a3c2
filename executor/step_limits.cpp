#include "executor/step_limits.h"

#include <algorithm>
#include <vector>

namespace parityd::executor {

bool compiles(oracle::Mode mode, oracle::Step step) {
  using oracle::Step;
  return !oracle::is_eager(mode) && (step == Step::compile || step == Step::forward || step == Step::backward);
}

void StepLimits::took(oracle::Mode mode, oracle::Step step, Duration time) {
  auto& times = times_[{mode, step}];
  times.push_back(time);
  if (times.size() > kWindow) {
    times.pop_front();
  }
}

StepLimits::Duration StepLimits::limit(oracle::Mode mode, oracle::Step step, Duration configured) const {
  const auto known = times_.find({mode, step});
  if (known == times_.end() || known->second.size() < kFewest || configured.count() == 0) {
    return configured;
  }
  std::vector<Duration> times(known->second.begin(), known->second.end());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  const Duration floor = compiles(mode, step) ? kCompileFloor : kProgramFloor;
  return std::min(configured, std::max(floor, *middle * kMedians));
}

}  // namespace parityd::executor
