#include "executor/pool/step_limits.h"

#include <algorithm>
#include <vector>

namespace parityd::executor {

bool compiles(oracle::Mode mode, oracle::Step step) { return !oracle::is_eager(mode) && oracle::calls_model(step); }

void StepLimits::took(oracle::Mode mode, oracle::Step step, Duration time) {
  if (!compiles(mode, step)) {
    return;
  }
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
  return std::min(configured, std::max(kFloor, known->second.median * kMedians));
}

}  // namespace parityd::executor
