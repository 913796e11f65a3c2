// What goes wrong in a simulation and when: drawn from a seed, or written down by a test. Pure data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/daemon/loop/kill_point.h"
#include "executor/process/interest.h"

namespace parityd::simulation {

using executor::TimePoint;

/// How the API answers for a while.
enum class Weather {
  fine,
  refused,  // no connection
  failing,  // 503
  limited,  // 429 with a Retry-After
  silent,   // takes requests, bills every other one, never answers
  garbled,  // bills, and answers with half a JSON text
  bad_key,  // 401
};
[[nodiscard]] std::string_view name(Weather weather);

struct Spell {
  TimePoint begin, end;
  Weather weather = Weather::fine;  // of the API's spells
};

/// The wall clock moves by `wall`, the monotonic one by `monotonic` beyond that: a correction of the clock moves the
/// first, a suspended machine's wall clock goes on alone, a stopped virtual machine's both do.
struct Jump {
  TimePoint at;
  std::chrono::milliseconds wall{0}, monotonic{0};
};

/// From `at` on, the daemon dies the `passage`-th time it comes to `point`; without one at its next wait.
struct Kill {
  TimePoint at;
  std::optional<agent::KillPoint> point;
  int passage = 1;
};

struct Faults {
  std::vector<Spell> api, workers, disk;  // of workers: none starts, what runs stands still; of the disk: it is full
  std::vector<Jump> jumps;
  std::vector<Kill> kills;
  double worker_deaths = 0;     // of warm jobs: a process dies of the machine, not of its program
  double harness_failures = 0;  // of all jobs
};

/// Of each kind some a day or a week.
[[nodiscard]] Faults drawn_faults(std::uint64_t seed, TimePoint begin, TimePoint end);

/// Of the spells the one that covers `now`; null: none.
[[nodiscard]] const Spell* spell_at(const std::vector<Spell>& spells, TimePoint now);
/// When the next spell begins or one ends; nullopt: never.
[[nodiscard]] std::optional<TimePoint> next_change(const std::vector<Spell>& spells, TimePoint now);

}  // namespace parityd::simulation
