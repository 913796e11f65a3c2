#include "agent/daemon/loop/loop_clock.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace {

/// Per speaker; a worker's two pipes are two speakers. With 256 workers and the fresh processes there are five turns a
/// second and a wait of a tenth of a second, with sixteen workers a hundredth.
constexpr std::chrono::microseconds kPauseEach{250};
/// Shorter at first: requests made while no daemon ran are waiting, and workers must be started.
constexpr std::chrono::microseconds kPauseEachAtFirst{100};
constexpr std::chrono::seconds kAtFirst{30};

}  // namespace

executor::TimePoint SystemLoopClock::now() const { return executor::Clock::now(); }
store::Millis SystemLoopClock::wall() const { return wall_clock(); }

void SystemLoopClock::wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) {
  const auto until = now() + timeout;
  const auto add = [](int sum, const executor::Interest& interest) { return sum + interest.speakers; };
  const int speakers = std::accumulate(interests.begin(), interests.end(), 0, add);
  const auto pause = now() - began_ < kAtFirst ? kPauseEachAtFirst : kPauseEach;
  std::this_thread::sleep_until(std::min(waited_ + pause * speakers, until));
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now());
  loop_.wait(interests, std::max(left, std::chrono::milliseconds(0)));
  waited_ = now();
}

}  // namespace parityd::agent
