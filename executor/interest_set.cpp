#include "executor/interest_set.h"

#include <utility>

namespace parityd::executor {

void InterestSet::become(const std::vector<Interest>& interests) {
  std::map<int, Wanted> wanted;
  for (const auto& interest : interests) {
    Wanted& each = wanted[interest.descriptor];
    each.read = each.read || interest.read;
    each.write = each.write || interest.write;
    each.owner = interest.owner;
  }
  for (const auto& [descriptor, before] : wanted_) {
    if (!wanted.contains(descriptor)) {
      watched_.forget(descriptor);
    }
  }
  for (const auto& [descriptor, now] : wanted) {
    const auto before = wanted_.find(descriptor);
    if (now.owner == 0 || before == wanted_.end() || before->second != now) {
      watched_.watch(descriptor, now.read, now.write);
    }
  }
  wanted_ = std::move(wanted);
}

}  // namespace parityd::executor
