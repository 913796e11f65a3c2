#include "agent/daemon/upkeep/device_pressure.h"

#include <algorithm>
#include <array>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

/// Wait before a program's next try: memory held by another of our programs is soon free, another job's is not.
constexpr std::array<executor::Clock::duration, 2> kLater = {5s, 2min};
constexpr executor::Clock::duration kCalm = 5min;

}  // namespace

bool DevicePressure::ran_short(store::Id program, std::size_t group, int workers, executor::TimePoint now) {
  const int fewer = std::max(1, allowed(group, workers, now) / 2);  // before groups_[group] creates an entry
  groups_[group] = {.allowed = fewer, .since = now};
  Waiting& waiting = programs_[program];
  if (static_cast<std::size_t>(waiting.times) >= kLater.size()) return false;
  waiting.until = now + kLater.at(static_cast<std::size_t>(waiting.times));
  ++waiting.times;
  return true;
}

int DevicePressure::allowed(std::size_t group, int workers, executor::TimePoint now) const {
  const auto known = groups_.find(group);
  if (known == groups_.end()) return workers;
  const auto calm = std::min<std::int64_t>((now - known->second.since) / kCalm, 10);  // enough for any machine
  return static_cast<int>(std::min<std::int64_t>(std::int64_t{known->second.allowed} << calm, workers));
}

bool DevicePressure::waits(store::Id program, executor::TimePoint now) const {
  const auto known = programs_.find(program);
  return known != programs_.end() && now < known->second.until;
}

bool DevicePressure::anyone_waits(executor::TimePoint now) const {
  return std::ranges::any_of(programs_, [&](const auto& entry) { return now < entry.second.until; });
}

}  // namespace parityd::agent
