// The database is kept small and sound: what the loop's upkeep does, with time and disk given by the test.
#include "agent/daemon/upkeep/upkeep.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <thread>

#include "store/base/durable.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using store::EventKind;

namespace {

using agent::kMebibyte;

struct Scene {
  explicit Scene(bool clean = true) {
    { const store::Store store(folder.database(), store::Access::write); }
    if (!clean) std::filesystem::remove(store::clean_mark_of(folder.database()));
    database.emplace(folder.database(), store::Access::write);
    alarms.emplace(*database, [this](store::Severity, std::string_view kind, const std::string& text) {
      lines.push_back(std::string(kind) + ": " + text);
    });
    upkeep.emplace(
        agent::UpkeepParts{.store = *database,
                           .config = config,
                           .alarms = *alarms,
                           .probe = [this](const auto&) { return disk; },
                           .readers = [](const auto&) { return std::vector<std::string>{"pid 7 (sqlite3)"}; }});
  }

  /// One turn of the loop, so much later.
  void turn(milliseconds later = seconds(1), bool idle = true) {
    now += later;
    alarms->set_time(now, 1'000'000);
    upkeep->maintain(now, 1'000'000, idle);
  }
  [[nodiscard]] bool said(const std::string& text) const {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(text) != std::string::npos; });
  }
  /// A reader's snapshot is not ours to move: it keeps the write-ahead log.
  void write_mebibytes(int count) {
    for (int number = 0; number < count; ++number) {
      database->values.set("filler", std::string(static_cast<std::size_t>(kMebibyte), static_cast<char>('a' + number)));
    }
  }

  Folder folder;
  agent::Config config;
  agent::DiskState disk;
  std::vector<std::string> lines;
  std::optional<store::Store> database;
  std::optional<agent::Alarms> alarms;
  std::optional<agent::Upkeep> upkeep;
  executor::TimePoint now = executor::TimePoint{} + std::chrono::hours(1);
};

}  // namespace

TEST_CASE("fault 4: a disk that fills up stops spending first, is reported once, and work resumes by itself") {
  Scene scene;
  scene.turn();
  CHECK(scene.upkeep->may_spend());
  scene.disk.free_bytes = 200 * kMebibyte;  // the floor is 512
  for (int turn = 0; turn < 20; ++turn) scene.turn(seconds(5));
  CHECK_FALSE(scene.upkeep->may_spend());
  CHECK(scene.upkeep->may_begin());
  CHECK(scene.lines.size() == 1);
  CHECK(scene.said("disk_full"));
  CHECK(scene.said("200.0 MiB free"));
  scene.disk.free_bytes = kMebibyte;
  scene.turn(seconds(5));
  CHECK_FALSE(scene.upkeep->may_begin());
  scene.disk.free_bytes = 10'000 * kMebibyte;
  scene.turn(seconds(5));
  CHECK(scene.upkeep->may_spend());
  CHECK(scene.upkeep->may_begin());
  CHECK_FALSE(scene.alarms->holds(EventKind::disk_full));
}

TEST_CASE("fault 7: a folder that became read-only pauses work, is reported once, and work resumes by itself") {
  Scene scene;
  scene.disk.unwritable = "Read-only file system";
  for (int turn = 0; turn < 20; ++turn) scene.turn(seconds(5));
  CHECK_FALSE(scene.upkeep->may_begin());
  CHECK(scene.lines.size() == 1);
  CHECK(scene.said("disk_read_only"));
  scene.disk.unwritable.clear();
  scene.turn(seconds(5));
  CHECK(scene.upkeep->may_begin());
  CHECK_FALSE(scene.alarms->holds(EventKind::disk_read_only));
}

TEST_CASE("fault 12: the write-ahead log is emptied when idle, and a process that blocks it is named after a minute") {
  Scene scene;
  scene.write_mebibytes(3);
  CHECK(scene.database->size().wal_bytes > kMebibyte);
  scene.turn(seconds(1), false);
  CHECK(scene.database->size().wal_bytes > kMebibyte);  // busy, and not too long
  scene.turn();
  CHECK(scene.database->size().wal_bytes == 0);
  SQLite::Database reader(scene.folder.database().string(), SQLite::OPEN_READONLY);
  reader.exec("BEGIN");
  CHECK(reader.execAndGet("SELECT count(*) FROM state_values").getInt() > 0);
  scene.write_mebibytes(3);
  scene.turn();
  CHECK(scene.lines.empty());
  for (int turn = 0; turn < 70; ++turn) scene.turn();
  CHECK(scene.alarms->holds(EventKind::reader_holds_wal));
  CHECK(scene.said("pid 7 (sqlite3)"));
  reader.exec("COMMIT");
  scene.turn();
  CHECK_FALSE(scene.alarms->holds(EventKind::reader_holds_wal));
  CHECK(scene.database->size().wal_bytes == 0);
}

TEST_CASE("fault 8: after an unclean stop, and only then, the database is checked in the background") {
  const bool clean = GENERATE(true, false);
  Scene scene(clean);
  CHECK(scene.database->unchecked() == !clean);
  scene.turn();
  CHECK(scene.said("unclean_stop") == !clean);
  for (int turn = 0; scene.database->unchecked() && turn < 60'000; ++turn) {
    std::this_thread::sleep_for(milliseconds(1));
    scene.turn();
  }
  CHECK_FALSE(scene.database->unchecked());
}

TEST_CASE("fault 8: damage found by the check ends the daemon before an answer relies on it") {
  Scene scene(false);
  {
    SQLite::Database database(scene.folder.database().string());
    const auto root =
        database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'harness_failures'").getInt64();
    std::fstream stream(scene.folder.database(), std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>((root - 1) * 4096));
    stream << std::string(100, 'x');
  }
  const auto until_found = [&] {
    for (int turn = 0; turn < 60'000; ++turn) {
      scene.turn();
      std::this_thread::sleep_for(milliseconds(1));
    }
  };
  try {
    until_found();
    FAIL("the damage was not found");
  } catch (const store::StoreError& error) {
    CHECK(error.fault() == store::StoreFault::damaged);
    CHECK(std::string(error.what()).find(scene.folder.database().string()) != std::string::npos);
  }
  CHECK(scene.said("database_damaged"));
}

TEST_CASE("fault 47: changed evidence is noticed and reported while the daemon runs") {
  Scene scene;
  scene.database->transaction([&] {
    const auto program = added(*scene.database, a_program("a"));
    const auto finding = scene.database->findings.add(a_finding(program.id, "a"));
    scene.database->inspections.add({.finding = finding, .tool = "trace", .text = "what it told", .at = 1});
  });
  SQLite::Database(scene.folder.database().string(), SQLite::OPEN_READWRITE).exec("UPDATE blobs SET text = 'else'");
  scene.turn(minutes(1));
  CHECK(scene.said("evidence_damaged"));
  CHECK(scene.said("finding 1: the output of trace"));
  CHECK(scene.database->findings.find(1)->disposition.is_held("tampered"));
}

TEST_CASE("retention: over the cap old measurements are deleted first and no program is requested until below it") {
  Scene scene;
  scene.config.disk_cap_mebibytes = 2;
  scene.turn(minutes(1));
  CHECK(scene.upkeep->may_spend());
  scene.write_mebibytes(3);
  scene.turn(minutes(1));
  scene.turn(minutes(1));
  CHECK(scene.upkeep->may_spend());  // one value of a mebibyte, and the log is emptied
  for (const char* key : {"one", "two"}) scene.database->values.set(key, std::string(kMebibyte, 'x'));
  scene.turn(minutes(1));
  CHECK_FALSE(scene.upkeep->may_spend());
  CHECK(scene.said("[store] disk_cap"));
  for (const char* key : {"one", "two"}) scene.database->values.set(key, "");
  scene.turn(minutes(1));
  scene.turn(minutes(1));
  CHECK(scene.upkeep->may_spend());
}
