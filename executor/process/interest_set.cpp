#include "executor/process/interest_set.h"

#include <algorithm>
#include <utility>

namespace parityd::executor {
namespace {

std::vector<Interest> each_once(std::vector<Interest> interests) {
  std::ranges::sort(interests, {}, &Interest::descriptor);
  std::vector<Interest> once;
  once.reserve(interests.size());
  for (const auto& interest : interests) {
    if (once.empty() || once.back().descriptor != interest.descriptor) {
      once.push_back(interest);
    } else {
      once.back().read = once.back().read || interest.read;
      once.back().write = once.back().write || interest.write;
    }
  }
  return once;
}

}  // namespace

void InterestSet::become(const std::vector<Interest>& interests) {
  const auto has_owner = [](const Interest& interest) { return interest.owner != 0; };
  if (interests == told_ && std::ranges::all_of(interests, has_owner)) {
    return;
  }
  std::vector<Interest> wanted = each_once(interests);
  auto before = wanted_.cbegin();
  for (const auto& interest : wanted) {
    for (; before != wanted_.cend() && before->descriptor < interest.descriptor; ++before) {
      watched_.forget(before->descriptor);
    }
    const bool known = before != wanted_.cend() && *before == interest && has_owner(interest);
    if (!known) {
      watched_.watch(interest.descriptor, interest.read, interest.write);
    }
    before += before != wanted_.cend() && before->descriptor == interest.descriptor ? 1 : 0;
  }
  for (; before != wanted_.cend(); ++before) {
    watched_.forget(before->descriptor);
  }
  wanted_ = std::move(wanted);
  told_ = interests;
}

std::unordered_set<std::uint64_t> InterestSet::speaking() const {
  std::unordered_set<std::uint64_t> owners;
  for (const auto& ready : watched_.ready()) {
    const auto wanted = std::ranges::lower_bound(wanted_, ready.descriptor, {}, &Interest::descriptor);
    if (wanted != wanted_.end() && wanted->descriptor == ready.descriptor) {
      owners.insert(wanted->owner);
    }
  }
  return owners;
}

std::optional<Interest> InterestSet::together() const {
  if (number() < 0) {
    return std::nullopt;
  }
  return Interest{.descriptor = number(), .read = true, .speakers = static_cast<int>(wanted_.size())};
}

}  // namespace parityd::executor
