// A descriptor some component wants the daemon's one loop to wait for. Pure data.
#pragma once

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

  bool operator==(const Interest&) const = default;
};

}  // namespace parityd::executor
