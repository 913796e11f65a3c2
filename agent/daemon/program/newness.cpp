#include "agent/daemon/program/newness.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace parityd::agent {

void Newness::note(std::size_t fresh) {
  last_.push_back(static_cast<int>(fresh));
  if (last_.size() > kLast) last_.pop_front();
}

int Newness::much() const {
  if (share_ >= 1) return 1;
  const auto share = static_cast<std::size_t>(share_ * static_cast<double>(last_.size()));
  if (share == 0 || last_.size() < kFewest) return std::numeric_limits<int>::max();
  std::vector<int> most(last_.begin(), last_.end());
  const auto first_beyond = most.begin() + static_cast<std::ptrdiff_t>(share);
  std::nth_element(most.begin(), first_beyond, most.end(), std::greater<>());
  return *first_beyond + 1;
}

}  // namespace parityd::agent
