#include "agent/cli/statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kDay = 86'400'000;
constexpr std::string_view kIdle = "idle";

std::vector<GroupTime> groups_of(const std::vector<store::Store::WorkerSecondsRow>& rows) {
  std::vector<GroupTime> groups;
  for (const auto& row : rows) {
    if (groups.empty() || groups.back().name != row.group) groups.push_back({.name = row.group});
    groups.back().seconds += row.seconds;
    groups.back().occupations.push_back({.name = row.occupation, .seconds = row.seconds});
  }
  for (auto& group : groups) {
    std::stable_sort(group.occupations.begin(), group.occupations.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  }
  return groups;
}

}  // namespace

double GroupTime::busy() const {
  double working = 0;
  for (const auto& each : occupations) working += each.name == kIdle ? 0 : each.seconds;
  return share(working);
}

double Statistics::programs_per_minute() const {
  return active > 0 ? static_cast<double>(counts.programs) * 60'000 / static_cast<double>(active) : 0;
}

double Statistics::programs_per_worker_minute() const {
  const double seconds = std::accumulate(groups.begin(), groups.end(), 0.0,
                                         [](double sum, const auto& group) { return sum + group.seconds; });
  return seconds > 0 ? static_cast<double>(counts.programs) * 60 / seconds : 0;
}

store::Millis start_of_day(store::Millis at) { return at - at % kDay; }

Statistics gather_statistics(const store::Store& store, store::Millis since, store::Millis now) {
  return {.since = since,
          .until = now,
          .groups = groups_of(store.worker_seconds(since)),
          .counts = store.counts_since(since),
          .active = store.active_since(since),
          .spending = store.spending_since(since)};
}

nlohmann::json statistics_json(const Statistics& statistics) {
  nlohmann::json json{{"since", utc(statistics.since)},
                      {"until", utc(statistics.until)},
                      {"programs_per_minute", statistics.programs_per_minute()},
                      {"programs_per_worker_minute", statistics.programs_per_worker_minute()},
                      {"active_seconds", static_cast<double>(statistics.active) / 1000},
                      {"groups", nlohmann::json::array()},
                      {"costs", nlohmann::json::array()}};
  for (const auto& group : statistics.groups) {
    auto occupations = nlohmann::json::object();
    for (const auto& each : group.occupations) {
      occupations[each.name] = {{"seconds", each.seconds}, {"share", group.share(each.seconds)}};
    }
    json["groups"].push_back({{"name", group.name},
                              {"seconds", group.seconds},
                              {"busy", group.busy()},
                              {"occupations", std::move(occupations)}});
  }
  const auto& counts = statistics.counts;
  json["funnel"] = {{"programs", counts.programs},
                    {"valid", counts.valid},
                    {"repaired", counts.repaired},
                    {"invalid", counts.invalid},
                    {"consistent", counts.consistent},
                    {"excused", counts.excused},
                    {"unstable", counts.unstable},
                    {"suspects", counts.suspects},
                    {"inconsistent", counts.inconsistent},
                    {"findings", counts.findings},
                    {"held_flaky", counts.held_flaky},
                    {"state_dependent", counts.state_dependent},
                    {"harness_failures", counts.harness_failures}};
  for (const auto& row : statistics.spending) {
    json["costs"].push_back({{"provider", row.provider},
                             {"strategy", row.strategy},
                             {"replies", row.replies},
                             {"failed", row.failed},
                             {"prompt_tokens", row.prompt_tokens},
                             {"completion_tokens", row.completion_tokens},
                             {"dollars", static_cast<double>(row.nano_dollars) / 1e9}});
  }
  return json;
}

}  // namespace parityd::agent
