// A descriptor some component wants the daemon's one loop to wait for. Pure data.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>

namespace parityd::executor {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

struct Interest {
  int descriptor = -1;
  bool read = false;
  bool write = false;
  /// Whoever opened it, a number that nobody else has: the descriptor's number may be another file's a moment later. 0
  /// has each wait look again whose it is.
  std::uint64_t owner = 0;
  /// How many may speak through it: more where it stands for a set of them.
  int speakers = 1;

  bool operator==(const Interest&) const = default;
};

/// For those who ask the kernel once: poll.
[[nodiscard]] inline pollfd to_poll(const Interest& interest) {
  const auto events = static_cast<short>((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0));
  return {.fd = interest.descriptor, .events = events, .revents = 0};
}

}  // namespace parityd::executor
