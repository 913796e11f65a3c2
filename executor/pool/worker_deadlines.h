// How long the compiler may take in a step of a warm run, learnt from measured times: most hangs are noticed long
// before the configured deadline. A learnt limit only makes a suspect; findings rest on fresh runs, which have the
// configured deadlines. All other steps have the configured deadlines in warm runs, too: a hang there settles the
// program. Pure. One thread (the loop's).
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>

#include "oracle/run_record.h"

namespace parityd::executor {

class StepLimits {
 public:
  using Duration = std::chrono::milliseconds;
  /// Steps of one kind needed before a limit is learnt, and how many of the newest count.
  static constexpr std::size_t kFewest = 20, kWindow = 101;
  /// A step may take this many medians, but at least the floor: compile times have a long tail.
  static constexpr int kMedians = 40;
  static constexpr Duration kFloor{45'000};

  void took(oracle::Mode mode, oracle::Step step, Duration time);
  /// Never more than `configured`; 0 stays 0 (never).
  [[nodiscard]] Duration limit(oracle::Mode mode, oracle::Step step, Duration configured) const;

 private:
  struct Seen {
    std::deque<Duration> times;
    Duration median{};  // stored, because limits are asked for far more often than a step ends
  };
  std::map<std::pair<oracle::Mode, oracle::Step>, Seen> seen_;
};

/// True for the steps in which the compiler works.
[[nodiscard]] bool compiles(oracle::Mode mode, oracle::Step step);

}  // namespace parityd::executor
