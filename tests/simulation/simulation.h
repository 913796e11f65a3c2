// Weeks of the daemon in minutes (docs/simulation.md): the real Daemon with its real pipeline, provider and SQLite
// file; clocks, API, workers, syntax and disk are the simulation's. All that happens follows from the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ids.h"
#include "tests/simulation/faults.h"

namespace parityd::simulation {

inline constexpr TimePoint kBegin{std::chrono::hours(1000)};

struct Plan {
  std::uint64_t seed = 1;
  std::chrono::hours length{24};
  Faults faults;                                          // within kBegin and kBegin + length
  int in_flight = 4;                                      // requests, at most
  std::chrono::seconds slowest_answer{12};                // of the API
  double dollars_per_day = 0.3, dollars_per_hour = 0.05;  // 0: no such cap
  store::Millis first_wall = 1'790'000'000'000;           // what the wall clock says at kBegin
};

struct Report {
  std::vector<std::string> broken;  // what did not hold, and when; at most a few
  std::string trace;
  int starts = 0, kills = 0;  // of the daemon
  std::int64_t turns = 0, requests = 0, programs = 0, findings = 0;
};

[[nodiscard]] Report simulate(const Plan& plan);

}  // namespace parityd::simulation
