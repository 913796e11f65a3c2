// How well parityd itself does, read off its database.
#include "agent/daemon/upkeep/health.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using store::EventKind;

namespace {

constexpr store::Millis kHour = 3'600'000;
constexpr store::Millis kNow = 1'000 * 24 * kHour;
constexpr std::chrono::hours kWeek{7 * 24};

const agent::HealthRate& rate(const agent::Health& health, EventKind alarm) {
  return *std::ranges::find(health.rates, alarm, &agent::HealthRate::alarm);
}

const agent::HealthPath* path(const agent::Health& health, const std::string& name) {
  const auto found =
      std::ranges::find_if(health.paths, [&](const agent::HealthPath& each) { return each.last.path == name; });
  return found == health.paths.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("an empty database is healthy") {
  const tests::Folder folder;
  const store::Store store(folder.database(), store::Access::write);
  const auto health = agent::health_of(store, kNow, kWeek);
  for (const auto& each : health.rates) CHECK_FALSE(each.is_alarming());
  for (const auto& each : health.paths) CHECK_FALSE(each.stale);
  CHECK(health_json(health, kNow)["rates"].size() == 4);
}

TEST_CASE("failing canaries raise an alarm once there are enough of them") {
  const tests::Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store.alarms.add_checks("canary", 0, 3, kNow);
  CHECK_FALSE(rate(agent::health_of(store, kNow, kWeek), EventKind::canaries_unsound).is_alarming());
  store.alarms.add_checks("canary", 40, 0, kNow);
  const auto health = agent::health_of(store, kNow, kWeek);
  const auto& canaries = rate(health, EventKind::canaries_unsound);
  CHECK(canaries.is_alarming());
  CHECK(in_words(canaries) == "3 of 43 (7.0 %)");
  store.alarms.add_checks("canary", 100, 0, kNow);
  CHECK_FALSE(rate(agent::health_of(store, kNow, kWeek), EventKind::canaries_unsound).is_alarming());
  CHECK(rate(agent::health_of(store, kNow + 3 * 24 * kHour, kWeek), EventKind::canaries_unsound).all == 0);
}

TEST_CASE("an outgoing path is late if its last try failed and it has not worked for its time limit") {
  const tests::Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store.alarms.note_outgoing("provider a", "", kNow - 3 * kHour);
  CHECK_FALSE(path(agent::health_of(store, kNow, kWeek), "provider a")->stale);  // nobody asked since
  store.alarms.note_outgoing("provider a", "HTTP 500", kNow - kHour / 2);
  CHECK(path(agent::health_of(store, kNow, kWeek), "provider a")->stale);
  CHECK(in_words(*path(agent::health_of(store, kNow, kWeek), "provider a"), kNow) ==
        "last worked 3 hours ago; last failed 30 minutes ago: HTTP 500");
  store.alarms.note_outgoing("provider a", "", kNow);
  CHECK_FALSE(path(agent::health_of(store, kNow, kWeek), "provider a")->stale);
  store.alarms.note_outgoing("backup", "no space", kNow);
  CHECK(path(agent::health_of(store, kNow, kWeek), "backup")->stale);
  CHECK(path(agent::health_of(store, kNow, kWeek), "drafts") == nullptr);
}

TEST_CASE("the table of known issues is late once it exceeds its age limit") {
  const tests::Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store.known.put({}, store::KnownSource::facts, kNow - 6 * 24 * kHour);
  CHECK_FALSE(path(agent::health_of(store, kNow, kWeek), "known issues")->stale);
  CHECK(path(agent::health_of(store, kNow + 2 * 24 * kHour, kWeek), "known issues")->stale);
}
