// How fast a pool starts workers, of whichever group: a start holds the loop until the new process runs, hundredths of
// a second where processors are short, and requests wait. Pure; time is an argument.
#pragma once

#include <chrono>

#include "executor/process/interest.h"

namespace parityd::executor {

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
