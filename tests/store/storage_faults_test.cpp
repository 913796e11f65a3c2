// The disk fails at each call of a busy minute: full, broken, without power.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "busy_minute.h"
#include "fault_vfs.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A database of the newest schema to begin with: to migrate each time would be most of the work.
class Template {
 public:
  Template() { const store::Store store(folder_.database(), store::Access::write); }
  void copy_to(const Folder& folder) const { std::filesystem::copy_file(folder_.database(), folder.database()); }

 private:
  Folder folder_;
};

std::string integrity(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  const std::string said = database.execAndGet("PRAGMA integrity_check").getString();
  const int dangling = database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt();
  return dangling > 0 ? said + ", with dangling references" : said;
}

/// Opens it as the next start does and looks at every step.
void check_all_there(const Folder& folder, const std::vector<int>& acknowledged) {
  {
    const store::Store store(folder.database(), store::Access::write);
    for (int step = 0; step < BusyMinute::kSteps; ++step) {
      const bool promised = std::find(acknowledged.begin(), acknowledged.end(), step) != acknowledged.end();
      const std::string wrong = BusyMinute::wrong(store, step, promised);
      if (!wrong.empty()) FAIL(wrong);
    }
  }
  if (const std::string said = integrity(folder.database()); said != "ok") FAIL(said);
}

/// What it says when it fails: which file, doing what, what to do.
void check_says_what(const Folder& folder, const store::StoreError& error) {
  const std::string text = error.what();
  CAPTURE(text);
  if (!has(text, folder.database().string()) || !has(text, "cannot ") || !has(text, "; ")) {
    FAIL("the message does not name file, operation and way out");
  }
}

/// A busy minute whose `number`-th call of this kind fails; false: there were not so many.
bool fails_at(const Template& origin, FileCall call, int number, int code) {
  const Folder folder;
  origin.copy_to(folder);
  std::vector<int> acknowledged;
  FaultVfs vfs;
  vfs.fail(call, number, code, false);
  try {
    store::Store store(folder.database(), store::Access::write);
    try {
      BusyMinute(store).run(acknowledged);
    } catch (const store::StoreError& error) {
      check_says_what(folder, error);
      if (error.fault() == store::StoreFault::io) {  // not trusted any more, however sound the disk is now
        CHECK_THROWS_AS(store.add_event("info", "a", "b", 1), store::StoreError);
        CHECK_THROWS_AS(store.counts(), store::StoreError);
      }
    }
  } catch (const store::StoreError& error) {  // at opening
    check_says_what(folder, error);
  }
  const bool struck = vfs.struck();
  vfs.heal();
  check_all_there(folder, acknowledged);
  return struck;
}

/// Every n until the minute has no n-th such call; how many there were.
int every_call(FileCall call, int code) {
  const Template origin;
  int number = 1;
  while (fails_at(origin, call, number, code)) ++number;
  return number - 1;
}

}  // namespace

TEST_CASE("fault 6: whichever write fails, nothing acknowledged is lost and the connection is not trusted again") {
  CHECK(every_call(FileCall::write, SQLITE_IOERR_WRITE) > 30);
}

TEST_CASE("fault 6: whichever fsync fails, nothing acknowledged is lost and the connection is not trusted again") {
  CHECK(every_call(FileCall::sync, SQLITE_IOERR_FSYNC) > 5);
}

TEST_CASE("fault 6: whichever read or opening of a file fails, nothing acknowledged is lost") {
  CHECK(every_call(FileCall::read, SQLITE_IOERR_READ) > 5);
  CHECK(every_call(FileCall::open, SQLITE_CANTOPEN) >= 2);
}

TEST_CASE(
    "fault 4: a disk that is full at any write takes the transaction back whole, and goes on once there is room") {
  const Template origin;
  bool struck = true;
  int number = 1;
  for (; struck; ++number) {
    const Folder folder;
    origin.copy_to(folder);
    std::vector<int> acknowledged;
    FaultVfs vfs;
    {
      store::Store store(folder.database(), store::Access::write);
      vfs.fail(FileCall::write, number, SQLITE_FULL, true);
      try {
        BusyMinute(store).run(acknowledged);
      } catch (const store::StoreError& error) {
        check_says_what(folder, error);
        REQUIRE(error.fault() == store::StoreFault::full);
      }
      struck = vfs.struck();
      vfs.heal();
      const int failed = static_cast<int>(acknowledged.size());
      if (failed < BusyMinute::kSteps) {
        const bool taken_back = BusyMinute::wrong(store, failed, false).empty() &&
                                !store.program_by_identity("identity " + std::to_string(failed));
        if (!taken_back) FAIL("a transaction that failed is there");
      }
      BusyMinute(store).run(acknowledged, failed);
    }
    check_all_there(folder, acknowledged);
  }
  CHECK(number > 30);
}

TEST_CASE("fault 3: whenever the power goes, every acknowledged row is there and the database opens clean") {
  const Template origin;
  bool struck = true;
  int number = 1;
  for (; struck; ++number) {
    const Folder folder;
    origin.copy_to(folder);
    std::vector<int> acknowledged;
    FaultVfs vfs;
    {
      store::Store store(folder.database(), store::Access::write);
      vfs.cut_power(number);
      try {
        BusyMinute(store).run(acknowledged);
      } catch (const store::StoreError&) {
      }
      struck = vfs.struck();
    }
    vfs.lose_power(static_cast<std::uint64_t>(number));
    CAPTURE(number, acknowledged.size());
    check_all_there(folder, acknowledged);
  }
  CHECK(number > 30);
}
