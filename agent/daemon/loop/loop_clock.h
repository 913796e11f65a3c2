// The daemon's clocks and its one place to wait, handed in from outside: nothing below reads a clock by itself, so that
// a month can pass in minutes (docs/simulation.md). One thread (the loop's).
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
  /// Monotonic: every duration and deadline.
  [[nodiscard]] virtual executor::TimePoint now() const = 0;
  /// Milliseconds since 1970 (UTC): labels and days. It may jump, forwards and back.
  [[nodiscard]] virtual store::Millis wall() const = 0;
  /// Until `interests` or the loop's sources have something, at most `timeout`.
  virtual void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) = 0;
};

/// The machine's own. The more there is to wait for, the longer the time between the ends of two waits at least: what
/// hundreds of workers say one after another is taken, and written, in one turn. At first it is less.
class SystemLoopClock final : public LoopClock {
 public:
  explicit SystemLoopClock(EventLoop& loop) : loop_(loop) {}
  [[nodiscard]] executor::TimePoint now() const override;
  [[nodiscard]] store::Millis wall() const override;
  void wait(const std::vector<executor::Interest>& interests, std::chrono::milliseconds timeout) override;

 private:
  EventLoop& loop_;
  const executor::TimePoint began_ = executor::Clock::now();
  executor::TimePoint waited_{};  // when the last wait ended
};

}  // namespace parityd::agent
