#include <algorithm>
#include <map>

#include "agent/cli/page/page_views.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/alarms_text.h"
#include "agent/cli/reports/coverage.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/store_json.h"
#include "agent/daemon/supply/booking.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kMinute = 60'000;
constexpr int kDays = 14;  // days in the daily charts
constexpr store::Millis kRateMinutes = 10;
constexpr int kChartPoints = 48;
constexpr int kLastEvents = 8;

nlohmann::json window_json(const store::Store& store, store::Millis since, std::optional<std::int64_t> cap) {
  return {{"spent", in_dollars(spent_since(store, since))},
          {"cap", cap ? nlohmann::json(in_dollars(*cap)) : nlohmann::json()}};
}

nlohmann::json days_json(const store::Store& store, store::Millis now) {
  const store::Millis first = start_of_day(now) - (kDays - 1) * store::kDay;
  std::map<store::Millis, double> dollars;
  for (const auto& row : store.spending.by_day(first)) dollars[row.day] = in_dollars(row.nano_dollars);
  auto days = nlohmann::json::array();
  for (store::Millis day = first; day <= now; day += store::kDay) {
    const auto changes = store.fixes.nano_dollars_since(day) - store.fixes.nano_dollars_since(day + store::kDay);
    days.push_back({{"day", utc(day).substr(0, 10)}, {"spent", dollars[day] + in_dollars(changes)}});
  }
  return days;
}

nlohmann::json money_json(const store::Store& store, const Caps& caps, store::Millis now) {
  return {{"hour", window_json(store, now - 60 * kMinute, caps.hour)},
          {"day", window_json(store, start_of_day(now), caps.day)},
          {"total", window_json(store, 0, caps.total)},
          {"days", days_json(store, now)}};
}

nlohmann::json devices_json(const store::Store& store) {
  return json_array(store.environments.by_device(), [](const auto& row) -> nlohmann::json {
    return {{"device", row.device},
            {"name", row.device_name},
            {"torch", row.torch},
            {"python", row.python},
            {"sandbox", sandbox_json(row.sandbox)}};
  });
}

/// Number of findings at equal intervals from the first to now.
nlohmann::json findings_over_time_json(const store::Store& store, store::Millis now) {
  auto points = nlohmann::json::array();
  const auto times = store.findings.times();
  if (times.empty()) return points;
  // Whole minutes, so that the document does not change while nothing happens.
  const store::Millis first = times.front() / kMinute * kMinute;
  const store::Millis last = std::max(now, times.back()) / kMinute * kMinute + kMinute;
  for (int point = 0; point <= kChartPoints; ++point) {
    const store::Millis at = first + (last - first) * point / kChartPoints;
    points.push_back({{"at", at}, {"findings", std::upper_bound(times.begin(), times.end(), at) - times.begin()}});
  }
  return points;
}

/// Number of findings by disposition and by status, and those that wait for a person.
nlohmann::json findings_by_json(const store::Store& store) {
  std::map<std::string, std::int64_t> dispositions, statuses;
  std::int64_t to_file = 0;
  for (const auto& row : store.tally.findings()) {
    dispositions[std::string(name(row.disposition))] += row.findings;
    statuses[std::string(name(row.status))] += row.findings;
    if (row.disposition == oracle::Disposition::Class::ready && row.status == store::FindingStatus::fresh)
      to_file += row.findings;
  }
  return {{"to_file", to_file}, {"disposition", dispositions}, {"status", statuses}};
}

}  // namespace

nlohmann::json overview_json(const store::Store& store, const PageFacts& facts, store::Millis now) {
  const auto settings = facts.settings->values();
  const auto recent = store.tally.since(now - kRateMinutes * kMinute);
  return {{"version", facts.version},
          {"started_at", utc(facts.started)},
          {"condition", condition(facts.daemon, &store)},
          {"alarms", alarms_json(store, now)},
          {"health", health_json(health_of(store, now, settings.known_max_age), now).at("rates")},
          {"counts", counts_json(store.tally.all())},
          {"findings", findings_by_json(store)},
          {"confirmed", store.programs.confirmed()},
          {"programs_per_minute", static_cast<double>(recent.programs) / kRateMinutes},
          {"findings_per_hour", store.tally.since(now - 60 * kMinute).findings},
          {"money", money_json(store, settings.caps, now)},
          {"groups", groups_json(gather_groups(store, 0))},
          {"workers", workers_now_json(store)},
          {"devices", devices_json(store)},
          {"coverage", {{"kinds", store.coverage.by_kind()}, {"growth", growth_json(store, kChartPoints)}}},
          {"findings_over_time", findings_over_time_json(store, now)},
          {"requests_waiting", store.requests.waiting()},
          {"events", events_json(store, std::numeric_limits<store::Id>::max(), kLastEvents)}};
}

}  // namespace parityd::agent
