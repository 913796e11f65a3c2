#include "agent/daemon/supply/placement.h"

#include <algorithm>

namespace parityd::agent {

std::optional<std::size_t> Placement::choose(const std::vector<Group>& groups) const {
  double shares = 0;
  double largest = 0;
  double programs = 1;  // including the one to place
  const auto taken = [&](std::size_t group) {
    return group < taken_.size() ? static_cast<double>(taken_[group]) : 0.0;
  };
  for (std::size_t index = 0; index < groups.size(); ++index) {
    if (!groups[index].broken) {
      shares += groups[index].share;
      largest = std::max(largest, groups[index].share);
      programs += taken(index);
    }
  }
  std::optional<std::size_t> chosen;
  double most_behind = 0;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    const Group& group = groups[index];
    if (group.broken || group.free <= 0 || group.share <= 0) continue;
    const double behind = programs * group.share / shares - taken(index);
    const bool may_run_ahead = behind > -group.workers || group.share == largest;
    if (may_run_ahead && (!chosen || behind > most_behind)) {
      chosen = index;
      most_behind = behind;
    }
  }
  return chosen;
}

void Placement::placed(std::size_t group) {
  taken_.resize(std::max(taken_.size(), group + 1));
  ++taken_[group];
}

}  // namespace parityd::agent
