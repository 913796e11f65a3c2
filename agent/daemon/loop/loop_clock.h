// The daemon's clocks and its only place to wait, passed in from outside: no other code reads a clock, so that a
// simulation can run a month in minutes (docs/simulation.md). One thread (the loop's).
#pragma once

#include <chrono>
#include <vector>

#include "agent/loop/event_loop.h"
#include "executor/process/interest.h"
#include "store/base/ids.h"

namespace parityd::agent {

class LoopClock {
 public:
  virtual ~LoopClock() = default;
  /// Monotonic time, for every duration and deadline.
  [[nodiscard]] virtual executor::TimePoint now() const = 0;
  /// Milliseconds since 1970 (UTC), for labels and days. May jump forwards and back.
  [[nodiscard]] virtual store::Millis wall() const = 0;
  /// Waits until `interests` or the loop's sources are ready, at most `timeout`.
  virtual void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) = 0;
};

/// The real clocks. The more descriptors there are to wait for, the longer the minimum time between the ends of two
/// waits, so that messages of hundreds of workers are read and written in one turn. It is shorter shortly after the
/// start.
class SystemLoopClock final : public LoopClock {
 public:
  explicit SystemLoopClock(EventLoop& loop) : loop_(loop) {}
  [[nodiscard]] executor::TimePoint now() const override;
  [[nodiscard]] store::Millis wall() const override;
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) override;

 private:
  EventLoop& loop_;
  const executor::TimePoint began_ = executor::Clock::now();
  executor::TimePoint waited_{};  // end of the last wait
};

}  // namespace parityd::agent
