#include "executor/process/descriptor_set.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

namespace parityd::executor {
namespace {

constexpr std::size_t kAtOnce = 256;

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

void DescriptorSet::watch(int descriptor, bool read, bool write) {
  if (!set_.open()) {
    set_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
    if (!set_.open()) {
      throw_errno("epoll_create1");
    }
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
