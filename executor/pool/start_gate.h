// When workers may be started: a broken installation must not make a storm of processes. Pure; time is an argument.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "executor/process/interest.h"

namespace parityd::executor {

class StartGate {
 public:
  /// A worker ended before it was primed. The second in a row closes the gate but for one try a minute.
  void start_failed(std::string why, TimePoint now);
  /// A worker ended by itself with nothing to do: the next start waits, longer each time.
  void died_idle(TimePoint now);
  void primed();
  /// The device must not be used: closed but for one try a minute, until a worker is primed.
  void park(std::string why, TimePoint now);
  [[nodiscard]] std::optional<std::string> parked() const { return parked_ ? std::optional(why_) : std::nullopt; }
  void job_done() { idle_deaths_ = 0; }

  [[nodiscard]] bool open(TimePoint now) const { return now >= next_; }
  /// Call after a start. While broken one start uses the try up.
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

// How fast a pool starts workers, of whichever group: a start holds the loop until the new process runs, hundredths of
// a second where processors are short, and requests wait. Pure; time is an argument.

class StartPace {
 public:
  /// A turn of the loop: starts may begin unless those before still have to be made up for.
  void begin_turn(TimePoint now) {
    open_ = now >= next_;
    taken_ = {};
  }
  /// Whether another one may begin in this turn; the first may, however long it takes.
  [[nodiscard]] bool open() const { return open_ && taken_ < kATurn; }
  /// A start held the loop for so long, until `now`: as long again as this turn's all took is for all else.
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
