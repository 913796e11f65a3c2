// A descriptor some component wants the daemon's one loop to wait for. Pure data.
#pragma once

#include <chrono>

namespace parityd::executor {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

struct Interest {
  int descriptor = -1;
  bool read = false;
  bool write = false;
};

}  // namespace parityd::executor
