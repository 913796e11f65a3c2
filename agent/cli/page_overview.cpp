#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/cli/coverage.h"
#include "agent/cli/page_views.h"
#include "agent/cli/reading.h"
#include "agent/cli/statistics.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kMinute = 60'000;
constexpr store::Millis kRateMinutes = 10;
constexpr int kChartPoints = 48;
constexpr int kLastEvents = 8;

nlohmann::json window_json(const store::Store& store, store::Millis since, std::optional<std::int64_t> cap) {
  const auto dollars = [](std::int64_t nano) { return static_cast<double>(nano) / 1e9; };
  return {{"spent", dollars(store.spent_since(since))},
          {"cap", cap ? nlohmann::json(dollars(*cap)) : nlohmann::json()}};
}

nlohmann::json money_json(const store::Store& store, const Caps& caps, store::Millis now) {
  return {{"hour", window_json(store, now - 60 * kMinute, caps.hour)},
          {"day", window_json(store, start_of_day(now), caps.day)},
          {"total", window_json(store, 0, caps.total)}};
}

nlohmann::json devices_json(const store::Store& store) {
  auto all = nlohmann::json::array();
  for (const auto& row : store.environments()) {
    all.push_back({{"device", row.device},
                   {"name", row.device_name},
                   {"torch", row.torch},
                   {"python", row.python},
                   {"sandbox", sandbox_json(row.sandbox)}});
  }
  return all;
}

nlohmann::json growth_json(const store::Store& store) {
  auto points = nlohmann::json::array();
  for (const auto& [program, features] : coverage_growth(store, kChartPoints)) {
    points.push_back({{"program", program}, {"features", features}});
  }
  return points;
}

/// How many findings there were at equal steps from the first to now.
nlohmann::json findings_over_time_json(const store::Store& store, store::Millis now) {
  auto points = nlohmann::json::array();
  const auto times = store.finding_times();
  if (times.empty()) return points;
  // Whole minutes, so that the same document is told while nothing happens.
  const store::Millis first = times.front() / kMinute * kMinute;
  const store::Millis last = std::max(now, times.back()) / kMinute * kMinute + kMinute;
  for (int point = 0; point <= kChartPoints; ++point) {
    const store::Millis at = first + (last - first) * point / kChartPoints;
    points.push_back({{"at", at}, {"findings", std::upper_bound(times.begin(), times.end(), at) - times.begin()}});
  }
  return points;
}

/// Each disposition and status with its number, without details in brackets.
nlohmann::json findings_by_json(const store::Store& store) {
  auto dispositions = nlohmann::json::object(), statuses = nlohmann::json::object();
  for (const auto& finding : store.findings({.limit = 0})) {
    auto& disposition = dispositions[finding.disposition.substr(0, finding.disposition.find('('))];
    disposition = (disposition.is_null() ? 0 : disposition.get<int>()) + 1;
    auto& status = statuses[finding.status];
    status = (status.is_null() ? 0 : status.get<int>()) + 1;
  }
  return {{"disposition", std::move(dispositions)}, {"status", std::move(statuses)}};
}

}  // namespace

nlohmann::json overview_json(const store::Store& store, const PageFacts& facts, store::Millis now) {
  const auto ever = statistics_json({.groups = gather_groups(store, 0)});
  const auto recent = store.counts_since(now - kRateMinutes * kMinute);
  auto coverage = nlohmann::json::array();
  for (const auto& row : store.coverage()) {
    coverage.push_back({{"kind", row.kind},
                        {"reached", row.reached},
                        {"listed", row.listed},
                        {"reached_of_listed", row.reached_of_listed}});
  }
  return {{"version", facts.version},
          {"started_at", utc(facts.started)},
          {"counts", counts_json(store.counts())},
          {"findings", findings_by_json(store)},
          {"programs_per_minute", static_cast<double>(recent.programs) / kRateMinutes},
          {"findings_per_hour", store.counts_since(now - 60 * kMinute).findings},
          {"money", money_json(store, facts.caps, now)},
          {"groups", ever.at("groups")},
          {"devices", devices_json(store)},
          {"coverage", {{"kinds", std::move(coverage)}, {"growth", growth_json(store)}}},
          {"findings_over_time", findings_over_time_json(store, now)},
          {"requests_waiting", store.pending_requests().size()},
          {"events", events_json(store, std::numeric_limits<store::Id>::max(), kLastEvents)}};
}

}  // namespace parityd::agent
