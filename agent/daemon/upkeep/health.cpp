#include "agent/daemon/upkeep/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using store::EventKind;

/// Limit for a provider's answers, if none is configured.
constexpr milliseconds kAnswersWithin = 1h;
constexpr milliseconds kBackupWithin = 7 * 24h;
constexpr milliseconds kOtherWithin = 24h;

milliseconds limit_of(const std::string& path) {
  if (path == "backup") return kBackupWithin;
  return path.starts_with("provider ") ? kAnswersWithin : kOtherWithin;
}

/// A path that never succeeded or failed is unused; a rarely used one is late only once it has failed since.
bool is_stale(const store::OutgoingRow& row, milliseconds limit, store::Millis now) {
  const bool failed_last = row.failed_at && row.failed_at > row.succeeded_at;
  return failed_last && (!row.succeeded_at || now - *row.succeeded_at > limit.count());
}

std::string age(store::Millis then, store::Millis now) {
  const auto minutes = std::max<store::Millis>(0, now - then) / 60'000;
  if (minutes >= 2 * 24 * 60) return fmt::format("{} days ago", minutes / (24 * 60));
  return minutes >= 120 ? fmt::format("{} hours ago", minutes / 60) : fmt::format("{} minutes ago", minutes);
}

HealthPath known_issues(const store::Store& store, store::Millis now, std::chrono::seconds max_age) {
  constexpr std::chrono::seconds kForEver =
      std::chrono::hours(24) * 36'500;  // the milliseconds of "never stale" would overflow
  HealthPath path{.last = {.path = "known issues", .succeeded_at = store.known.gathered_at()},
                  .limit = std::min(max_age, kForEver)};
  path.stale = path.last.succeeded_at && now - *path.last.succeeded_at > path.limit.count();
  return path;
}

nlohmann::json seconds_since(std::optional<std::int64_t> then, store::Millis now) {
  return then ? nlohmann::json(std::max<store::Millis>(0, now - *then) / 1000) : nlohmann::json(nullptr);
}

}  // namespace

Health health_of(const store::Store& store, store::Millis now, std::chrono::seconds known_max_age) {
  const auto hour = store.tally.since(now - store::kHour);
  const auto day = store.tally.suspects_since(now - store::kDay);  // a day may have half a million programs
  const auto canaries = store.alarms.checks("canary", now - store::kDay);
  const auto decided = hour.valid + hour.invalid;
  Health health;
  health.rates = {
      {"canaries", canaries.failed, canaries.passed + canaries.failed, 0.05, 20, EventKind::canaries_unsound},
      {"own failures", hour.harness_failures, hour.programs, 0.05, 50, EventKind::own_failures_high},
      {"invalid programs", hour.invalid, decided, 0.9, 50, EventKind::invalid_rate_high},
      {"false alarms", day.state_dependent, day.suspects, 0.05, 20, EventKind::false_alarms_high}};
  for (auto& row : store.alarms.outgoing()) {
    const auto limit = limit_of(row.path);
    const bool stale = is_stale(row, limit, now);
    health.paths.push_back({.last = std::move(row), .limit = limit, .stale = stale});
  }
  health.paths.push_back(known_issues(store, now, known_max_age));
  return health;
}

std::string in_words(const HealthRate& rate) {
  return fmt::format("{} of {} ({:.1f} %)", rate.bad, rate.all, rate.share() * 100);
}

std::string in_words(const HealthPath& path, store::Millis now) {
  const auto& last = path.last;
  std::string text = last.succeeded_at ? "last worked " + age(*last.succeeded_at, now) : "has not worked yet";
  if (last.failed_at && last.failed_at > last.succeeded_at) {
    text += fmt::format("; last failed {}: {}", age(*last.failed_at, now), last.failure);
  }
  return text;
}

nlohmann::json health_json(const Health& health, store::Millis now) {
  nlohmann::json json{{"rates", nlohmann::json::array()}, {"outgoing", nlohmann::json::array()}};
  for (const auto& rate : health.rates) {
    json["rates"].push_back({{"name", rate.name},
                             {"bad", rate.bad},
                             {"all", rate.all},
                             {"share", rate.share()},
                             {"limit", rate.limit},
                             {"alarm", rate.is_alarming()}});
  }
  for (const auto& path : health.paths) {
    json["outgoing"].push_back({{"path", path.last.path},
                                {"seconds_since_success", seconds_since(path.last.succeeded_at, now)},
                                {"seconds_since_failure", seconds_since(path.last.failed_at, now)},
                                {"failure", path.last.failure},
                                {"alarm", path.stale}});
  }
  return json;
}

}  // namespace parityd::agent
