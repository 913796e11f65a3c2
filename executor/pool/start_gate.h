// When workers may be started: a broken installation must not cause a storm of processes. Pure; time is an argument.
// One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "executor/process/interest.h"

namespace parityd::executor {

class StartGate {
 public:
  /// A worker ended before it was primed. The second in a row closes the gate except for one try a minute.
  void start_failed(std::string why, TimePoint now);
  /// A worker ended on its own while idle: the next start waits, longer each time.
  void died_idle(TimePoint now);
  void primed();
  /// The device must not be used: closed except for one try a minute, until a worker is primed.
  void park(std::string why, TimePoint now);
  [[nodiscard]] std::optional<std::string> parked() const { return parked_ ? std::optional(why_) : std::nullopt; }
  void job_done() { idle_deaths_ = 0; }

  [[nodiscard]] bool open(TimePoint now) const { return now >= next_; }
  /// To be called after a start. While the gate is broken, one start uses up the try.
  void started(TimePoint now);
  [[nodiscard]] TimePoint next() const { return next_; }
  [[nodiscard]] std::optional<std::string> broken() const;

 private:
  int failures_ = 0;
  int idle_deaths_ = 0;
  bool parked_ = false;
  std::string why_;
  TimePoint next_{};
};

// Limits how fast a pool starts workers of all groups: a start blocks the loop until the new process runs (hundredths
// of a second when processors are scarce) while requests wait. Pure; time is an argument.

class StartPace {
 public:
  /// Begins a turn of the loop: starts are allowed unless earlier ones still have to be made up for.
  void begin_turn(TimePoint now) {
    open_ = now >= next_;
    taken_ = {};
  }
  /// Whether another start may begin in this turn; the first always may, however long it takes.
  [[nodiscard]] bool open() const { return open_ && taken_ < kATurn; }
  /// A start blocked the loop for `taken`, until `now`. The loop then gets as much time for other work as all starts of
  /// this turn took.
  void held_loop(Clock::duration taken, TimePoint now) {
    taken_ += taken;
    next_ = now + taken_;
  }
  [[nodiscard]] TimePoint next() const { return next_; }

 private:
  static constexpr std::chrono::milliseconds kATurn{5};
  bool open_ = true;
  Clock::duration taken_{};
  TimePoint next_{};
};

}  // namespace parityd::executor
