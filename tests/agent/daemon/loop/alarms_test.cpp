// What went wrong: counted each time, told seldom, kept in the database, over when it is over.
#include "agent/daemon/loop/alarms.h"

#include <algorithm>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using agent::Alarms;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using store::EventKind;

namespace {

struct Scene {
  void at(std::chrono::milliseconds since) {
    alarms.set_time(executor::TimePoint{} + std::chrono::hours(1) + since, 1'000'000 + since.count());
  }
  void keep() {
    database.transaction([this] { alarms.write(); });
    alarms.written();
  }
  [[nodiscard]] store::AlarmRow only() const {
    const auto rows = database.alarms.all();
    REQUIRE(rows.size() == 1);
    return rows.front();
  }

  tests::Folder folder;
  store::Store database{folder.database(), store::Access::write};
  std::vector<std::string> lines;
  Alarms alarms{database, [this](store::Severity severity, std::string_view kind, const std::string& text) {
                  lines.push_back(std::string(name(severity)) + " " + std::string(kind) + ": " + text);
                }};
};

}  // namespace

TEST_CASE("an alarm is one log line, one event and one count") {
  Scene scene;
  scene.at(seconds(0));
  for (const auto& kind : store::event_kinds()) {
    scene.alarms.raise(kind.kind, "here\nand there", "one");
  }
  scene.keep();
  const auto lines = scene.lines;
  REQUIRE(lines.size() == store::event_kinds().size());
  const auto events = scene.database.events.recent(1000);  // newest first
  REQUIRE(events.size() == lines.size());
  const auto rows = scene.database.alarms.all();
  REQUIRE(rows.size() == lines.size());
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const auto& kind = store::event_kinds()[index];
    CAPTURE(kind.name);
    const auto& event = events[events.size() - 1 - index];
    const std::string start = std::string(name(kind.severity)) + " " + std::string(kind.name) + ": ";
    CHECK(lines[index] == start + event.text);
    CHECK(event.text.find("here and there") != std::string::npos);
    CHECK(event.what == kind.name);
    CHECK(event.level == name(kind.severity));
    const auto row = std::ranges::find(rows, kind.kind, &store::AlarmRow::kind);
    REQUIRE(row != rows.end());
    CHECK(row->times == 1);
    CHECK(row->subject == "one");
    CHECK(row->text == event.text);
    CHECK(is_current(*row, row->last_at) == (kind.lasts || kind.severity != store::Severity::info));
    CHECK(is_current(*row, row->last_at + 90'000'000) == kind.lasts);
  }
}

TEST_CASE("a repeated alarm is counted each time and logged at decreasing frequency") {
  Scene scene;
  for (int second = 0; second < 86'400; second += 10) {
    scene.at(seconds(second));
    scene.alarms.raise(EventKind::worker_silent, "worker 3");
  }
  scene.keep();
  CHECK(scene.only().times == 8'640);
  CHECK(scene.lines.size() < 35);  // minutes at first, then one an hour
  CHECK(scene.lines.size() > 24);
  CHECK(scene.database.events.recent(100).size() == scene.lines.size());
  CHECK(scene.lines.back().find("more since the last report") != std::string::npos);
  scene.at(std::chrono::hours(48));
  scene.alarms.raise(EventKind::worker_silent, "worker 4");
  CHECK(scene.lines.back().find("worker 4") != std::string::npos);
}

TEST_CASE("a lasting fault ends when cleared, and a fault that comes and goes does not flood the log") {
  Scene scene;
  scene.at(seconds(0));
  scene.alarms.over(EventKind::disk_full);
  CHECK(scene.lines.empty());
  for (int second = 0; second < 50; ++second) {
    scene.at(seconds(second));
    scene.alarms.raise(EventKind::disk_full, "parityd.db");
    CHECK(scene.alarms.holds(EventKind::disk_full));
    scene.alarms.over(EventKind::disk_full);
    CHECK_FALSE(scene.alarms.holds(EventKind::disk_full));
    scene.keep();
  }
  CHECK(scene.lines.size() == 2);
  const auto row = scene.only();
  CHECK(row.times == 50);
  CHECK(row.over_at == 1'049'000);
  CHECK(row.text.find("parityd.db") != std::string::npos);
  CHECK_FALSE(is_current(row, row.last_at));
}

TEST_CASE("a fault that returned during its silence is logged after the silence if it still holds") {
  Scene scene;
  scene.at(seconds(0));
  scene.alarms.raise(EventKind::no_workers, "the first time");
  scene.at(seconds(1));
  scene.alarms.over(EventKind::no_workers);
  scene.at(seconds(2));
  scene.alarms.raise(EventKind::no_workers, "again");
  scene.keep();
  REQUIRE(scene.lines.size() == 2);
  for (int second = 3; second < 1000; ++second) {
    scene.at(seconds(second));
    scene.keep();
    CHECK(scene.lines.size() == (second < 60 ? 2 : 3));
  }
  CHECK(scene.lines.back().find("again") != std::string::npos);
  CHECK(scene.database.events.recent(10).front().text.find("again") != std::string::npos);
  CHECK(scene.only().times == 2);
  CHECK(is_current(scene.only(), scene.only().last_at));
  scene.alarms.over(EventKind::no_workers);
  CHECK(scene.lines.back().find("it is over") != std::string::npos);
}

TEST_CASE("faults of different subjects are distinguished") {
  Scene scene;
  scene.at(seconds(0));
  scene.alarms.raise(EventKind::provider_stopped, "provider a: no key", "a");
  scene.alarms.raise(EventKind::provider_stopped, "provider b: no key", "b");
  scene.alarms.over(EventKind::provider_stopped, "a");
  scene.keep();
  CHECK(scene.lines.size() == 3);
  const auto rows = scene.database.alarms.all();
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(is_current(rows.front(), rows.front().last_at));
  CHECK(is_current(rows.back(), rows.back().last_at));
}

TEST_CASE("an alarm that the database cannot store is logged at once and kept in bounded memory until it can") {
  Scene scene;
  for (int time = 0; time < 1000; ++time) {
    scene.at(milliseconds(time));
    scene.alarms.raise(EventKind::disk_full, "parityd.db");
    scene.alarms.raise(EventKind::worker_died, "worker 3");
    CHECK_THROWS(scene.database.transaction([&] {
      scene.alarms.write();
      throw std::runtime_error("the disk is full");
    }));
  }
  CHECK(scene.lines.size() == 2);
  CHECK(scene.database.alarms.all().empty());
  scene.keep();
  REQUIRE(scene.database.alarms.all().size() == 2);
  CHECK(scene.database.alarms.all().front().times == 1000);
  CHECK(scene.database.events.recent(9).size() == 2);
  scene.keep();
  CHECK(scene.database.alarms.all().front().times == 1000);
}

TEST_CASE("a restart clears the alarms that held") {
  Scene scene;
  scene.at(seconds(0));
  scene.alarms.raise(EventKind::no_workers, "no python");
  scene.keep();
  CHECK(is_current(scene.only(), 1'000'000));
  scene.database.alarms.end_all(1'000'500);
  CHECK_FALSE(is_current(scene.only(), 1'000'600));
}
