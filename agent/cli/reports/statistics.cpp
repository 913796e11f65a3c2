#include "agent/cli/reports/statistics.h"

#include <algorithm>
#include <numeric>

#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

constexpr std::string_view kIdle = "idle";

/// Null where there is nothing to divide by.
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
  return {{"programs", counts.programs},
          {"valid", counts.valid},
          {"repaired", counts.repaired},
          {"invalid", counts.invalid},
          {"consistent", counts.consistent},
          {"excused", counts.excused},
          {"unstable", counts.unstable},
          {"inconsistent", counts.inconsistent},
          {"queued", counts.queued},
          {"repairing", counts.repairing},
          {"gating", counts.gating},
          {"pending", counts.pending},
          {"suspects", counts.suspects},
          {"findings", counts.findings},
          {"occurrences", counts.occurrences},
          {"held_flaky", counts.held_flaky},
          {"state_dependent", counts.state_dependent},
          {"replies", counts.replies},
          {"failed_replies", counts.failed_replies},
          {"prompt_tokens", counts.prompt_tokens},
          {"completion_tokens", counts.completion_tokens},
          {"dollars", in_dollars(counts.spent_nano_dollars)},
          {"harness_failures", counts.harness_failures}};
}

nlohmann::json counts_json(const store::Counts& counts, const std::vector<std::string>& names) {
  const auto all = counts_json(counts);
  auto json = nlohmann::json::object();
  for (const auto& name : names) json[name] = all.at(name);
  return json;
}

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
  const nlohmann::json seconds =
      yield.ready > 0 ? nlohmann::json(yield.worker_seconds / static_cast<double>(yield.ready)) : nlohmann::json();
  return {{"replies", yield.replies},
          {"failed", yield.failed},
          {"prompt_tokens", yield.prompt_tokens},
          {"completion_tokens", yield.completion_tokens},
          {"dollars", in_dollars(yield.nano_dollars)},
          {"worker_seconds", yield.worker_seconds},
          {"programs", yield.programs},
          {"valid", yield.valid},
          {"inconsistent", yield.inconsistent},
          {"findings", yield.findings},
          {"ready", yield.ready},
          {"dollars_per_valid", json_price(yield.nano_dollars, yield.valid)},
          {"dollars_per_finding", json_price(yield.nano_dollars, yield.findings)},
          {"dollars_per_ready", json_price(yield.nano_dollars, yield.ready)},
          {"worker_seconds_per_ready", seconds}};
}

nlohmann::json costs_json(const std::vector<store::SpendingRow>& rows) {
  return json_array(rows, [](const store::SpendingRow& row) {
    nlohmann::json json = yield_json(row);
    json["provider"] = row.provider;
    json["strategy"] = row.strategy;
    return json;
  });
}

nlohmann::json repairs_json(const std::vector<store::RepairYield>& rows) {
  return json_array(rows, [](const auto& row) -> nlohmann::json {
    return {{"class", row.error_class},
            {"round", row.round},
            {"asked", row.asked},
            {"programs", row.programs},
            {"valid", row.valid},
            {"same_error", row.same_error},
            {"lost_operators", row.lost_operators},
            {"declined", row.declined}};
  });
}

nlohmann::json reply_classes_json(const std::vector<store::ReplyClassCount>& rows) {
  return json_array(rows, [](const auto& row) -> nlohmann::json {
    return {{"purpose", row.purpose}, {"class", row.klass}, {"replies", row.replies}};
  });
}

nlohmann::json statistics_json(const Statistics& statistics) {
  return {{"since", utc(statistics.since)},
          {"until", utc(statistics.until)},
          {"programs_per_minute", statistics.programs_per_minute()},
          {"programs_per_worker_minute", statistics.programs_per_worker_minute()},
          {"active_seconds", static_cast<double>(statistics.active) / 1000},
          {"groups", groups_json(statistics.groups)},
          {"funnel", counts_json(statistics.counts, {"programs", "valid", "repaired", "invalid", "consistent",
                                                     "excused", "unstable", "suspects", "inconsistent", "findings",
                                                     "held_flaky", "state_dependent", "harness_failures"})},
          {"costs", costs_json(statistics.spending)},
          {"repairs", repairs_json(statistics.repairs)},
          {"reply_classes", reply_classes_json(statistics.reply_classes)}};
}

}  // namespace parityd::agent
