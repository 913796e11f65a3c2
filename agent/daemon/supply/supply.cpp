#include "agent/daemon/supply/supply.h"

#include <algorithm>

namespace parityd::agent {
namespace {

constexpr double kTurn = 0.5;   // maximum seconds between two looks at what waits
constexpr double kLate = 1.5;   // an answer may take this many times the mean
constexpr double kHighest = 3;  // times the low-water mark
constexpr double kLeastYield = 0.1;

}  // namespace

void Supply::answered(double latency_seconds) {
  latency_.count();
  latency_.add(latency_seconds);
  measured_latency_ = true;
}

void Supply::yielded(bool program) {
  yield_.count();
  yield_.add(program ? 1 : 0);
}

/// One more program per worker, plus the work until the next look.
double Supply::idle_mark(const Level& level) const { return level.workers * (seconds_a_program() + kTurn); }

double Supply::low_water(const Level& level) const { return 2 * idle_mark(level) + level.workers * kLate * latency(); }

double Supply::high_water(const Level& level) const {
  const double highest = kHighest * low_water(level);
  const double late = measured_latency_ ? latency() : 0;  // unknown: a short run has to start
  return level.seconds_left ? std::min(highest, level.workers * (*level.seconds_left - late)) : highest;
}

bool Supply::is_low(const Level& level) const {
  const double expected = level.waiting + level.requested * std::max(yield(), kLeastYield);
  const double most = level.waiting + level.requested + 1;
  return expected * seconds_a_program() < low_water(level) && most * seconds_a_program() <= high_water(level);
}

bool Supply::is_starving(const Level& level) const { return level.waiting * seconds_a_program() < idle_mark(level); }

}  // namespace parityd::agent
