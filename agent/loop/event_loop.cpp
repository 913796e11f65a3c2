#include "agent/loop/event_loop.h"

#include <poll.h>

#include <algorithm>

namespace parityd::agent {

using executor::Clock;

void EventLoop::wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) {
  interests_.become(interests);
  auto until = Clock::now() + timeout;
  std::vector<pollfd> sets{{.fd = interests_.number(), .events = POLLIN, .revents = 0}};
  for (LoopSource* source : sources_) {
    source->poll(Clock::now());  // transfers started since the last wait; a refused connection is known at once
    until = std::min(until, source->next_deadline().value_or(until));
    sets.push_back({.fd = source->descriptor(), .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  ::poll(sets.data(), sets.size(), static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count()));
  for (LoopSource* source : sources_) source->poll(Clock::now());
}

}  // namespace parityd::agent
