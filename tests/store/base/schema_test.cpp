// Opening: new files, old ones, newer ones, foreign ones.
#include "store/base/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/catch.h"
#include "tests/store/fixture.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

int version_of(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  return database.execAndGet("PRAGMA user_version").getInt();
}

}  // namespace

TEST_CASE("a new database has the newest schema, full durability and private permissions") {
  const Folder folder;
  const auto file = folder.path() / "state" / "parityd.db";
  {
    const store::Store store(file, store::Access::write);
    CHECK(store.tally.all().programs == 0);
  }
  CHECK(version_of(file) == store::migrations().back().version);
  SQLite::Database database(file.string());
  CHECK(database.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0077U) == 0);
  REQUIRE(stat(file.parent_path().c_str(), &status) == 0);
  CHECK((status.st_mode & 0077U) == 0);
}

TEST_CASE("every table is strict and every view can be read") {
  const Folder folder;
  const store::Store store(folder.database(), store::Access::write);
  SQLite::Database database(folder.database().string());
  SQLite::Statement loose(database,
                          "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 "
                          "AND name NOT LIKE 'sqlite_%'");
  CHECK_FALSE(loose.executeStep());
  SQLite::Statement views(database, "SELECT name FROM sqlite_schema WHERE type = 'view'");
  int count = 0;
  for (; views.executeStep(); ++count) {
    const std::string name = views.getColumn(0).getString();
    CAPTURE(name);
    SQLite::Statement view(database, "SELECT * FROM " + name);
    CHECK_FALSE(view.executeStep());
  }
  CHECK(count >= 4);
}

TEST_CASE("a newer schema is refused with file, versions and a way out, and left unchanged") {
  const Folder folder;
  { const store::Store store(folder.database(), store::Access::write); }
  SQLite::Database(folder.database().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  for (const auto access : {store::Access::write, store::Access::read, store::Access::request}) {
    const std::string error = error_of([&] { const store::Store store(folder.database(), access); });
    CAPTURE(error);
    CHECK(contains(error, folder.database().string()));
    CHECK(contains(error, "99"));
    CHECK(contains(error, std::to_string(store::migrations().back().version)));
    CHECK(contains(error, "--state"));
  }
  CHECK(version_of(folder.database()) == 99);
}

TEST_CASE("another program's database and a file that is not a database are refused") {
  const Folder folder;
  SECTION("a database") {
    SQLite::Database(folder.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE theirs (x)");
    CHECK(contains(error_of([&] { const store::Store store(folder.database(), store::Access::write); }),
                   "not a parityd database"));
    SQLite::Database database(folder.database().string());
    CHECK(database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 1);
  }
  SECTION("a text") {
    std::ofstream(folder.database()) << std::string(4096, 'x');
    const std::string error = error_of([&] { const store::Store store(folder.database(), store::Access::write); });
    CAPTURE(error);
    CHECK(contains(error, "not a database"));
    CHECK(contains(error, "--state"));
  }
  SECTION("nothing, for a reader") {
    const std::string error = error_of([&] { const store::Store store(folder.database(), store::Access::read); });
    CHECK(contains(error, "parityd run"));
    CHECK_FALSE(std::filesystem::exists(folder.database()));
  }
}

TEST_CASE("a migration keeps a copy and succeeds completely or not at all") {
  const Folder folder;
  const std::vector<store::Migration> one{{1, "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (7);"}};
  std::vector<store::Migration> two = one;
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  store::migrate(database, folder.database(), one);
  const auto copy = folder.path() / "parityd.db.schema-1.backup";
  CHECK_FALSE(std::filesystem::exists(copy));  // there was nothing to copy

  SECTION("it succeeds") {
    two.push_back({2, "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = 8;"});
    store::migrate(database, folder.database(), two);
    CHECK(database.execAndGet("SELECT y FROM a").getInt() == 8);
    CHECK(version_of(folder.database()) == 2);
    CHECK(version_of(copy) == 1);
    SQLite::Database saved(copy.string());
    CHECK(saved.execAndGet("SELECT x FROM a").getInt() == 7);
    store::migrate(database, folder.database(), two);  // nothing left to do
  }
  SECTION("it fails half-way") {
    two.push_back({2, "DELETE FROM a; CREATE TABLE b (x INTEGER) STRICT; SELECT no_such_function();"});
    CHECK_THROWS_AS(store::migrate(database, folder.database(), two), SQLite::Exception);
    CHECK(version_of(folder.database()) == 1);
    CHECK(database.execAndGet("SELECT x FROM a").getInt() == 7);
    CHECK_FALSE(database.tableExists("b"));
    CHECK(std::filesystem::exists(copy));
  }
}
