#include "agent/daemon/program/newness.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace parityd::agent {

void Newness::note(const std::string& settings, std::size_t fresh) {
  std::deque<int>& last = last_[settings];
  last.push_back(static_cast<int>(fresh));
  if (last.size() > kLast) last.pop_front();
}

int Newness::much(const std::string& settings) const {
  constexpr int kNobodyHas = std::numeric_limits<int>::max();
  if (share_ >= 1) return 1;
  const auto like = last_.find(settings);
  if (like == last_.end() || like->second.size() < kFewest) return kNobodyHas;
  std::vector<int> most(like->second.begin(), like->second.end());
  const auto share = static_cast<std::size_t>(share_ * static_cast<double>(most.size()));
  if (share == 0) return kNobodyHas;
  const auto first_beyond = most.begin() + static_cast<std::ptrdiff_t>(share);
  std::nth_element(most.begin(), first_beyond, most.end(), std::greater<>());
  return *first_beyond + 1;
}

}  // namespace parityd::agent
