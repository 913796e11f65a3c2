// The daemon through weeks of faults, and through jumps of the clock. PARITYD_SIMULATION_SEED and
// PARITYD_SIMULATION_DAYS in the environment choose another run (docs/simulation.md).
#include "tests/simulation/simulation.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tests/catch.h"
#include "tests/this_build.h"

using namespace parityd;
using namespace std::chrono_literals;
using simulation::kBegin;
using simulation::Plan;
using simulation::Report;

namespace {

std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

Plan stormy(std::uint64_t seed, std::chrono::hours length) {
  return {.seed = seed, .length = length, .faults = simulation::drawn_faults(seed, kBegin, kBegin + length)};
}

std::string story(const Plan& plan, const Report& report) {
  std::string text =
      fmt::format("seed {}, {} hours: {} starts, {} kills, {} turns, {} requests, {} programs, {} findings", plan.seed,
                  plan.length.count(), report.starts, report.kills, report.turns, report.requests, report.programs,
                  report.findings);
  for (const auto& sentence : report.broken) {
    text += "\n" + sentence;
  }
  return text;
}

/// Prints what happened; fails where something did not hold.
Report checked(const Plan& plan) {
  Report report = simulation::simulate(plan);
  std::printf("%s\n", story(plan, report).c_str());
  INFO(story(plan, report));
  CHECK(report.broken.empty());
  return report;
}

}  // namespace

TEST_CASE(
    "simulation: days of outages, crashes, full disks, kills and clock jumps lose nothing and break no guarantee") {
  const auto days = from_environment("PARITYD_SIMULATION_DAYS", this_build::sanitized() ? 1 : 2);
  const Plan plan = stormy(from_environment("PARITYD_SIMULATION_SEED", 1), std::chrono::hours(24 * days));
  const Report report = checked(plan);
  CHECK(report.kills > static_cast<int>(days));
  CHECK(report.programs > 100 * static_cast<std::int64_t>(days));
  CHECK(report.findings > 5);
}

TEST_CASE("simulation: the same seed gives the same days byte by byte, another seed gives others") {
  const Report first = simulation::simulate(stormy(7, 6h));
  const Report second = simulation::simulate(stormy(7, 6h));
  CHECK(first.trace.size() > 5'000);
  CHECK(first.trace == second.trace);
  CHECK(first.trace != simulation::simulate(stormy(8, 6h)).trace);
}
