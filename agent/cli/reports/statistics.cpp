#include "agent/cli/reports/statistics.h"

#include <algorithm>
#include <numeric>

#include "agent/cli/reading.h"
#include "agent/cli/store_json.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

constexpr std::string_view kIdle = "idle";

/// The price of one; null if `number` is 0.
nlohmann::json json_price(std::int64_t nano, std::int64_t number) {
  return number > 0 ? nlohmann::json(in_dollars(nano) / static_cast<double>(number)) : nlohmann::json();
}

std::vector<GroupTime> groups_of(const std::vector<store::WorkerSecondsRow>& rows) {
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

nlohmann::json counts_json(const store::Counts& counts) {
  nlohmann::json json = counts;
  json["dollars"] = in_dollars(counts.spent_nano_dollars);
  return json;
}

double GroupTime::busy() const {
  double working = 0;
  for (const auto& each : occupations) working += each.name == kIdle ? 0 : each.seconds;
  return share(working);
}

double Statistics::programs_per_minute() const {
  constexpr store::Millis kLeast = 10'000;  // imports arrive all at once, which is not a rate
  return active >= kLeast ? static_cast<double>(counts.programs) * 60'000 / static_cast<double>(active) : 0;
}

double Statistics::programs_per_worker_minute() const {
  const double seconds = std::accumulate(groups.begin(), groups.end(), 0.0,
                                         [](double sum, const auto& group) { return sum + group.seconds; });
  return seconds > 0 ? static_cast<double>(counts.programs) * 60 / seconds : 0;
}

store::Millis start_of_day(store::Millis at) { return at - at % store::kDay; }

std::vector<GroupTime> gather_groups(const store::Store& store, store::Millis since) {
  return groups_of(store.workers.seconds(since));
}

Statistics gather_statistics(const store::Store& store, store::Millis since, store::Millis now) {
  return {.since = since,
          .until = now,
          .groups = gather_groups(store, since),
          .counts = store.tally.since(since),
          .active = store.tally.active_since(since),
          .modes = store.examinations.modes_since(since),
          .graphs = store.examinations.graphs_since(since),
          .spending = store.spending.since(since),
          .repairs = store.repairs.yield_since(since),
          .reply_classes = store.replies.classes_since(since)};
}

nlohmann::json groups_json(const std::vector<GroupTime>& groups) {
  return json_array(groups, [](const GroupTime& group) -> nlohmann::json {
    auto occupations = nlohmann::json::object();
    for (const auto& each : group.occupations) {
      occupations[each.name] = {{"seconds", each.seconds}, {"share", group.share(each.seconds)}};
    }
    return {{"name", group.name},
            {"seconds", group.seconds},
            {"busy", group.busy()},
            {"occupations", std::move(occupations)}};
  });
}

nlohmann::json yield_json(const store::Yield& yield) {
  nlohmann::json json = yield;
  json["dollars"] = in_dollars(yield.nano_dollars);
  json["dollars_per_valid"] = json_price(yield.nano_dollars, yield.valid);
  json["dollars_per_finding"] = json_price(yield.nano_dollars, yield.findings);
  json["dollars_per_ready"] = json_price(yield.nano_dollars, yield.ready);
  json["worker_seconds_per_ready"] = nullptr;
  if (yield.ready > 0) json["worker_seconds_per_ready"] = yield.worker_seconds / static_cast<double>(yield.ready);
  return json;
}

nlohmann::json costs_json(const std::vector<store::SpendingRow>& rows) {
  return json_array(rows, [](const store::SpendingRow& row) {
    nlohmann::json json = yield_json(row);
    json["provider"] = row.provider;
    json["strategy"] = row.strategy;
    return json;
  });
}

nlohmann::json modes_json(const std::vector<store::ModeCount>& rows) {
  return json_array(rows, [](const store::ModeCount& row) -> nlohmann::json {
    return {{"mode", row.mode},         {"device", row.device},
            {"programs", row.programs}, {"excused", row.excused},
            {"suspects", row.suspects}, {"inconsistent", row.inconsistent},
            {"findings", row.findings}, {"screen_seconds", row.screen_seconds}};
  });
}

nlohmann::json graphs_json(const std::vector<store::GraphCount>& rows) {
  return json_array(rows, [](const store::GraphCount& row) -> nlohmann::json {
    return {{"graphs", name(row.graphs)},
            {"screens", row.screens},
            {"suspects", row.suspects},
            {"inconsistent", row.inconsistent}};
  });
}

nlohmann::json repairs_json(const std::vector<store::RepairYield>& rows) {
  return json_array(rows, [](const store::RepairYield& row) {
    nlohmann::json json = row;
    json["class"] = row.error_class;
    return json;
  });
}

nlohmann::json reply_classes_json(const std::vector<store::ReplyClassCount>& rows) {
  return json_array(rows, [](const auto& row) -> nlohmann::json {
    return {{"purpose", row.purpose}, {"class", row.klass}, {"replies", row.replies}};
  });
}

nlohmann::json statistics_json(const Statistics& statistics) {
  return {
      {"since", utc(statistics.since)},
      {"until", utc(statistics.until)},
      {"programs_per_minute", statistics.programs_per_minute()},
      {"programs_per_worker_minute", statistics.programs_per_worker_minute()},
      {"active_seconds", static_cast<double>(statistics.active) / 1000},
      {"groups", groups_json(statistics.groups)},
      {"funnel", picked(counts_json(statistics.counts),
                        {"programs", "valid", "repaired", "invalid", "consistent", "excused", "unstable", "suspects",
                         "inconsistent", "findings", "held_flaky", "state_dependent", "harness_failures"})},
      {"modes", modes_json(statistics.modes)},
      {"graphs", graphs_json(statistics.graphs)},
      {"costs", costs_json(statistics.spending)},
      {"repairs", repairs_json(statistics.repairs)},
      {"reply_classes", reply_classes_json(statistics.reply_classes)}};
}

}  // namespace parityd::agent
