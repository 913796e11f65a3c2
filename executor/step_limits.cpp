#include "executor/step_limits.h"

#include <algorithm>
#include <vector>

namespace parityd::executor {

bool compiles(oracle::Mode mode, oracle::Step step) {
  using oracle::Step;
  return !oracle::is_eager(mode) && (step == Step::compile || step == Step::forward || step == Step::backward);
}

void StepLimits::took(oracle::Mode mode, oracle::Step step, Duration time) {
  auto& seen = seen_[{mode, step}];
  seen.times.push_back(time);
  if (seen.times.size() > kWindow) {
    seen.times.pop_front();
  }
  std::vector<Duration> times(seen.times.begin(), seen.times.end());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  seen.median = *middle;
}

StepLimits::Duration StepLimits::limit(oracle::Mode mode, oracle::Step step, Duration configured) const {
  const auto known = seen_.find({mode, step});
  if (known == seen_.end() || known->second.times.size() < kFewest || configured.count() == 0) {
    return configured;
  }
  const Duration floor = compiles(mode, step) ? kCompileFloor : kProgramFloor;
  return std::min(configured, std::max(floor, known->second.median * kMedians));
}

}  // namespace parityd::executor
