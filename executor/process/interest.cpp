#include "executor/process/interest.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>
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

constexpr std::size_t kAtOnce = 256;

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

void InterestSet::become(const std::vector<Interest>& interests) {
  const auto has_owner = [](const Interest& interest) { return interest.owner != 0; };
  if (interests == told_ && std::ranges::all_of(interests, has_owner)) return;
  std::vector<Interest> wanted = each_once(interests);
  auto before = wanted_.cbegin();
  for (const auto& interest : wanted) {
    for (; before != wanted_.cend() && before->descriptor < interest.descriptor; ++before) {
      watched_.forget(before->descriptor);
    }
    const bool known = before != wanted_.cend() && *before == interest && has_owner(interest);
    if (!known) watched_.watch(interest.descriptor, interest.read, interest.write);
    before += before != wanted_.cend() && before->descriptor == interest.descriptor ? 1 : 0;
  }
  for (; before != wanted_.cend(); ++before) watched_.forget(before->descriptor);
  wanted_ = std::move(wanted);
  told_ = interests;
}

std::unordered_set<std::uint64_t> InterestSet::speaking() const {
  std::unordered_set<std::uint64_t> owners;
  for (const auto& ready : watched_.ready()) {
    const auto wanted = std::ranges::lower_bound(wanted_, ready.descriptor, {}, &Interest::descriptor);
    if (wanted != wanted_.end() && wanted->descriptor == ready.descriptor) owners.insert(wanted->owner);
  }
  return owners;
}

std::optional<Interest> InterestSet::together() const {
  if (number() < 0) return std::nullopt;
  return Interest{.descriptor = number(), .read = true, .speakers = static_cast<int>(wanted_.size())};
}

void DescriptorSet::watch(int descriptor, bool read, bool write) {
  if (!set_.open()) {
    set_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
    if (!set_.open()) throw_errno("epoll_create1");
  }
  epoll_event event{};
  event.events = (read ? std::uint32_t{EPOLLIN} : 0) | (write ? std::uint32_t{EPOLLOUT} : 0);
  event.data.fd = descriptor;
  if (epoll_ctl(set_.number(), EPOLL_CTL_MOD, descriptor, &event) != 0 &&
      (errno != ENOENT || epoll_ctl(set_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)) {
    throw_errno("descriptor " + std::to_string(descriptor) + " cannot be waited for");
  }
}

void DescriptorSet::forget(int descriptor) { epoll_ctl(set_.number(), EPOLL_CTL_DEL, descriptor, nullptr); }

std::vector<DescriptorSet::Ready> DescriptorSet::ready() const {
  std::array<epoll_event, kAtOnce> events{};
  const int count = epoll_wait(set_.number(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<Ready> ready;
  for (const auto& event : std::span(events).first(static_cast<std::size_t>(count < 0 ? 0 : count))) {
    const bool over = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
    ready.push_back({.descriptor = event.data.fd,
                     .read = over || (event.events & EPOLLIN) != 0,
                     .write = over || (event.events & EPOLLOUT) != 0});
  }
  return ready;
}

}  // namespace parityd::executor
