// The write-ahead log cut, gone, or another one's; schemas half-way; copies under load.
#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "store/base/durable.h"
#include "store/base/schema.h"
#include "store/upkeep/backup.h"
#include "store/upkeep/salvage.h"
#include "tests/catch.h"
#include "tests/store/base/fault_vfs.h"
#include "tests/store/busy_minute.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

constexpr store::Millis kNow = 1'800'000'000'000;

std::filesystem::path wal_of(const Folder& folder) { return folder.database().string() + "-wal"; }

/// Five programs, one transaction each, all of them still in the write-ahead log: copied while it is open, as a kill
/// leaves them.
void leave_in_wal(const Folder& folder) {
  const Folder origin;
  { const store::Store store(origin.database(), store::Access::write); }
  store::Store store(origin.database(), store::Access::write);
  for (int number = 0; number < 5; ++number) {
    store.transaction([&] { (void)added(store, a_program(std::to_string(number))); });
  }
  std::filesystem::copy_file(origin.database(), folder.database());
  std::filesystem::copy_file(wal_of(origin), wal_of(folder));
}

int programs_in(const Folder& folder) {
  const store::Store store(folder.database(), store::Access::write);
  int found = 0;
  while (store.programs.by_identity(std::to_string(found))) ++found;
  CHECK(store.tally.all().programs == found);  // none behind a missing one
  return found;
}

std::string integrity(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  return database.execAndGet("PRAGMA integrity_check").getString();
}

}  // namespace

TEST_CASE("fault 9: a write-ahead log cut anywhere opens to its last complete commit") {
  const Folder whole;
  leave_in_wal(whole);
  const auto size = std::filesystem::file_size(wal_of(whole));
  int least = 5, most = 0;
  for (std::uintmax_t cut = 0; cut <= size; cut += 5113) {
    CAPTURE(cut);
    const Folder folder;
    std::filesystem::copy_file(whole.database(), folder.database());
    std::filesystem::copy_file(wal_of(whole), wal_of(folder));
    std::filesystem::resize_file(wal_of(folder), cut);
    const int found = programs_in(folder);
    CHECK(found >= most);  // the more is left, the more is there
    least = std::min(least, found);
    most = std::max(most, found);
    CHECK(integrity(folder.database()) == "ok");
  }
  CHECK(least == 0);
  CHECK(programs_in(whole) == 5);
}

TEST_CASE("fault 9: a missing or damaged write-ahead log leaves what the database file has") {
  const Folder folder;
  leave_in_wal(folder);
  SECTION("gone") { std::filesystem::remove(wal_of(folder)); }
  SECTION("garbage") { std::ofstream(wal_of(folder), std::ios::binary) << std::string(20'000, 'g'); }
  CHECK(programs_in(folder) == 0);
  CHECK(integrity(folder.database()) == "ok");
}

TEST_CASE("fault 9: a foreign write-ahead log beside a cleanly closed database is set aside") {
  const Folder folder, other;
  {
    store::Store store(folder.database(), store::Access::write);
    store.values.set("mark", "mine");
    store.transaction([&] { (void)added(store, a_program("mine")); });
  }
  leave_in_wal(other);
  std::filesystem::copy_file(wal_of(other), wal_of(folder));
  {
    const store::Store store(folder.database(), store::Access::write);
    CHECK(store.unchecked());
    CHECK(store.values.find("mark") == "mine");
    CHECK(store.programs.by_identity("mine"));
    CHECK_FALSE(store.programs.by_identity("0"));
  }
  CHECK(integrity(folder.database()) == "ok");
  CHECK(std::filesystem::exists(wal_of(folder).string() + ".stale"));
}

TEST_CASE("fault 9: the mark of a clean stop exists after one and only then") {
  const Folder folder;
  const auto mark = store::clean_mark_of(folder.database());
  {
    const store::Store first(folder.database(), store::Access::write);
    CHECK_FALSE(first.unchecked());  // there was nothing
    CHECK_FALSE(std::filesystem::exists(mark));
  }
  CHECK(std::filesystem::exists(mark));
  { CHECK_FALSE(store::Store(folder.database(), store::Access::write).unchecked()); }
  std::filesystem::remove(mark);  // as a kill leaves it
  { CHECK(store::Store(folder.database(), store::Access::write).unchecked()); }
  CHECK_FALSE(std::filesystem::exists(mark));  // nobody has checked it
  {
    store::Store store(folder.database(), store::Access::write);
    store.note_checked();
  }
  CHECK(std::filesystem::exists(mark));
}

TEST_CASE("fault 10: a migration cut at any write leaves the old schema or the new one, and a copy") {
  const std::vector<store::Migration> first{store::migrations().begin(), store::migrations().begin() + 1};
  const int newest = store::migrations().back().version;
  bool struck = true;
  int number = 1, old_ones = 0;
  for (; struck; number += 1 + number / 6) {
    const Folder folder;
    {
      SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      store::migrate(database, folder.database(), first);
      database.exec("INSERT INTO state_values VALUES ('mark', 'old')");
    }
    CAPTURE(number);
    FaultVfs vfs;
    vfs.cut_power(number);
    (void)error_of([&] { const store::Store store(folder.database(), store::Access::write); });
    struck = vfs.struck();
    vfs.lose_power(static_cast<std::uint64_t>(number));
    int version = 0;
    {
      SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE);
      version = database.execAndGet("PRAGMA user_version").getInt();
      CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
    }
    CHECK((version == 1 || version == newest));
    old_ones += version == 1 ? 1 : 0;
    {
      const store::Store store(folder.database(), store::Access::write);
      CHECK(store.values.find("mark") == "old");
    }
    CHECK(std::filesystem::exists(folder.database().string() + ".schema-1.backup"));
  }
  CHECK(old_ones > 5);
}

TEST_CASE("fault 13: copies made during writes are complete, private and never overwrite anything") {
  const Folder folder;
  { const store::Store store(folder.database(), store::Access::write); }
  std::atomic<bool> stop = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    store::Store store(folder.database(), store::Access::write);
    for (int number = 0; !stop; ++number) {
      store.transaction([&] {
        const auto program = added(store, a_program("a " + std::to_string(number)));
        store.examinations.add({.program = program.id, .purpose = store::Examination::screen});
      });
      ++written;
    }
  });
  while (written < 20) std::this_thread::yield();
  std::int64_t last = 0;
  for (int copy = 0; copy < 5; ++copy) {
    const auto file = folder.path() / ("copy " + std::to_string(copy));
    const int before = written;
    CHECK(store::back_up(folder.database(), file, {}) > 0);
    CHECK(integrity(file) == "ok");
    CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::others_read) ==
          std::filesystem::perms::none);
    SQLite::Database database(file.string());
    const auto programs = database.execAndGet("SELECT count(*) FROM programs").getInt64();
    CHECK(programs >= before);
    CHECK(programs == database.execAndGet("SELECT count(*) FROM examinations").getInt64());  // whole transactions
    CHECK(programs >= last);
    last = programs;
  }
  stop = true;
  writer.join();
  CHECK(error_of([&] {
          (void)store::back_up(folder.database(), folder.path() / "copy 0", {});
        }).find("already exists") != std::string::npos);
}

TEST_CASE("fault 13: a copy that does not fit on the disk leaves nothing behind") {
  const Folder folder;
  { const store::Store store(folder.database(), store::Access::write); }
  FaultVfs vfs;
  vfs.fail(FileCall::write, 20, SQLITE_FULL, true);
  const std::string error = error_of([&] { (void)store::back_up(folder.database(), folder.path() / "copy", {}); });
  CAPTURE(error);
  CHECK(error.find("free space") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "copy"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "copy.new"));
}

TEST_CASE("fault 9: a restored copy has no old write-ahead log beside it") {
  const Folder folder;
  const auto copy = folder.path() / "copy";
  {
    store::Store store(folder.database(), store::Access::write);
    store.values.set("mark", "first");
    (void)store::back_up(folder.database(), copy, {});
    store.values.set("mark", "second");
  }
  std::ofstream(wal_of(folder)) << "stale";
  const auto kept = store::restore(copy, folder.database(), kNow);
  CHECK(std::filesystem::exists(kept / "parityd.db"));
  CHECK_FALSE(std::filesystem::exists(wal_of(folder)));
  CHECK(store::Store(folder.database(), store::Access::write).values.find("mark") == "first");
  std::ofstream(folder.path() / "no database") << "x";
  CHECK(error_of([&] { (void)store::restore(folder.path() / "no database", folder.database(), kNow); }) != "");
  CHECK(store::Store(folder.database(), store::Access::write).values.find("mark") == "first");
}
