#include "agent/daemon/loop_clock.h"

#include "agent/daemon/wall_clock.h"

namespace parityd::agent {

executor::TimePoint SystemLoopClock::now() const { return executor::Clock::now(); }
store::Millis SystemLoopClock::wall() const { return wall_clock(); }

void SystemLoopClock::wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) {
  http_.wait(interests, timeout);
}

}  // namespace parityd::agent
