// Clocks that jump, time zones that change, machines that sleep, and days' budgets: on the simulation.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/simulation/simulation.h"

using namespace parityd;
using namespace std::chrono_literals;
using simulation::Jump;
using simulation::kBegin;
using simulation::Plan;
using simulation::Report;

namespace {

constexpr store::Millis kMidnight = 1'793'404'800'000;  // 31 October 2026, 00:00 UTC
constexpr store::Millis kMinute = 60'000;
constexpr store::Millis kDay = 24 * 60 * kMinute;

/// All moments of a trace's lines that have the words, in milliseconds.
std::vector<std::int64_t> moments(const std::string& trace, const std::string& words) {
  std::vector<std::int64_t> all;
  for (std::size_t begin = 0; begin < trace.size();) {
    const auto end = trace.find('\n', begin);
    const std::string line = trace.substr(begin, end - begin);
    if (line.find(words) != std::string::npos) {
      all.push_back(std::stoll(line.substr(0, line.find('.'))) * 1000 + std::stoll(line.substr(line.find('.') + 1)));
    }
    begin = end + 1;
  }
  return all;
}

std::size_t between(const std::vector<std::int64_t>& moments, std::int64_t from, std::int64_t to) {
  return static_cast<std::size_t>(
      std::ranges::count_if(moments, [=](std::int64_t at) { return from <= at && at < to; }));
}

std::string without_jumps(const std::string& trace) {
  std::string kept;
  for (std::size_t begin = 0; begin < trace.size();) {
    const auto end = trace.find('\n', begin) + 1;
    const std::string line = trace.substr(begin, end - begin);
    kept += line.find("jump") == std::string::npos ? line : "";
    begin = end;
  }
  return kept;
}

Report sound(const Plan& plan) {
  Report report = simulation::simulate(plan);
  std::string all;
  for (const auto& sentence : report.broken) {
    all += sentence + "\n";
  }
  INFO(all);
  CHECK(report.broken.empty());
  return report;
}

/// No caps, so that nothing may depend on what day it is; the wall clock, an hour before midnight, jumps by these.
Plan unlimited(const std::vector<std::chrono::milliseconds>& jumps) {
  Plan plan{
      .seed = 36, .length = 2h, .in_flight = 1, .slowest_answer = 40s, .dollars_per_day = 0, .dollars_per_hour = 0};
  plan.first_wall = kMidnight - 60 * kMinute;
  for (std::size_t number = 0; number < jumps.size(); ++number) {
    plan.faults.jumps.push_back({.at = kBegin + (number + 1) * 13min, .wall = jumps[number]});
  }
  plan.faults.api = {{.begin = kBegin + 25min, .end = kBegin + 45min, .weather = simulation::Weather::limited},
                     {.begin = kBegin + 70min, .end = kBegin + 85min, .weather = simulation::Weather::silent}};
  return plan;
}

}  // namespace

TEST_CASE("fault 36: a wall clock that jumps by days, hours or leap seconds moves no deadline") {
  const Report steady = sound(unlimited(std::vector<std::chrono::milliseconds>(8, 0ms)));
  const Report jumpy = sound(unlimited({24h, -24h, -24h, 1h, -1h, -1s, 24h, 6h}));
  REQUIRE(moments(steady.trace, " request ").size() > 50);
  CHECK(without_jumps(jumpy.trace) == without_jumps(steady.trace));
}

TEST_CASE("fault 36: the end of summer time changes nothing because days are UTC") {
  Plan plan = unlimited({});
  plan.first_wall = kMidnight - 6 * kDay;  // over the hour of 25 October 2026 that Berlin has twice
  const Report utc = sound(plan);
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);  // Berlin's, where no table of zones is installed
  tzset();
  CHECK(sound(plan).trace == utc.trace);
  unsetenv("TZ");
  tzset();
}

TEST_CASE("fault 36: after the machine slept or stood still with work in progress everything goes on at once") {
  Plan plan{
      .seed = 4, .length = 3h, .in_flight = 1, .slowest_answer = 40s, .dollars_per_day = 0, .dollars_per_hour = 0};
  plan.faults.jumps = {{.at = kBegin + 30min, .wall = 6h}, {.at = kBegin + 1h, .monotonic = 1h}};
  const Report report = sound(plan);
  const auto answers = moments(report.trace, "answer");
  const auto jobs = moments(report.trace, "ends");
  for (const std::int64_t resumed : {30 * kMinute, 120 * kMinute}) {
    CAPTURE(resumed);
    CHECK(between(answers, resumed, resumed + kMinute) > 0);
    CHECK(between(jobs, resumed, resumed + kMinute) > 0);
  }
  CHECK(moments(report.trace, "without a result").empty());
  CHECK(report.starts == 2);  // the second one drains
}

TEST_CASE("fault 36: caps follow the days of the wall clock, however it jumps") {
  Plan plan{.seed = 5, .length = 60h, .dollars_per_day = 0.05, .dollars_per_hour = 0.02, .first_wall = kMidnight};
  for (int number = 1; number < 20; ++number) {
    plan.faults.jumps.push_back({.at = kBegin + number * 3h, .wall = number % 2 == 0 ? -24h : 24h});
  }
  CHECK(sound(plan).requests > 30);
}

TEST_CASE("fault 35: a day's budget spent in a burst is used up, kills and restarts return nothing, midnight does") {
  Plan plan{.seed = 6, .length = 60h, .dollars_per_day = 0.05, .dollars_per_hour = 0, .first_wall = kMidnight};
  for (int number = 0; number < 12; ++number) {
    plan.faults.kills.push_back({.at = kBegin + 5min + number * 4h, .point = agent::KillPoint::sent});
  }
  const Report report = sound(plan);
  CHECK(report.kills >= 3);
  const auto requests = moments(report.trace, " request ");
  const std::int64_t most_of_a_day = 50'000'000 / 700'000 + 1;  // of the cheapest requests
  for (const std::int64_t day : {0, 1, 2}) {
    CAPTURE(day);
    CHECK(between(requests, day * kDay, day * kDay + 60'000) > 0);
    CHECK(between(requests, day * kDay, (day + 1) * kDay) <= static_cast<std::size_t>(most_of_a_day));
    CHECK(between(requests, day * kDay + kDay / 2, (day + 1) * kDay) == 0);  // the burst is over by noon
  }
}
