// The disk fails at each call of a busy minute: full, broken, without power.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/store/base/fault_vfs.h"
#include "tests/store/busy_minute.h"
#include "tests/this_build.h"

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

/// A busy minute on a disk that fails at its `number`-th chance: what was acknowledged, and whether it had so many.
struct Minute {
  std::vector<int> acknowledged;
  bool struck = false;
};

/// Every n until the minute has no n-th chance, each time on a new database that must be whole afterwards; the last n
/// that was struck.
int every_chance(const std::function<Minute(const Folder& folder, int number)>& run) {
  const Template origin;
  const int step = this_build::sanitized() ? 5 : 1;
  int last = 0;
  for (int number = 1;; number += number < 10 ? 1 : step) {
    const Folder folder;
    origin.copy_to(folder);
    const Minute minute = run(folder, number);
    CAPTURE(number, minute.acknowledged.size());
    check_all_there(folder, minute.acknowledged);
    if (!minute.struck) return last;
    last = number;
  }
}

Minute failing_at(const Folder& folder, FileCall call, int number, int code) {
  Minute minute;
  FaultVfs vfs;
  vfs.fail(call, number, code, false);
  try {
    store::Store store(folder.database(), store::Access::write);
    try {
      BusyMinute(store).run(minute.acknowledged);
    } catch (const store::StoreError& error) {
      check_says_what(folder, error);
      if (error.fault() == store::StoreFault::io) {  // not trusted any more, however sound the disk is now
        CHECK_THROWS_AS(store.events.add("info", "a", "b", 1), store::StoreError);
        CHECK_THROWS_AS(store.tally.all(), store::StoreError);
      }
    }
  } catch (const store::StoreError& error) {  // at opening
    check_says_what(folder, error);
  }
  minute.struck = vfs.struck();
  return minute;
}

int every_call(FileCall call, int code) {
  return every_chance([&](const Folder& folder, int number) { return failing_at(folder, call, number, code); });
}

/// The transaction that failed is taken back; with room again the minute goes on to its end.
Minute full_at(const Folder& folder, int number) {
  Minute minute;
  FaultVfs vfs;
  store::Store store(folder.database(), store::Access::write);
  vfs.fail(FileCall::write, number, SQLITE_FULL, true);
  try {
    BusyMinute(store).run(minute.acknowledged);
  } catch (const store::StoreError& error) {
    check_says_what(folder, error);
    REQUIRE(error.fault() == store::StoreFault::full);
  }
  minute.struck = vfs.struck();
  vfs.heal();
  const int failed = static_cast<int>(minute.acknowledged.size());
  const bool taken_back =
      failed == BusyMinute::kSteps || (BusyMinute::wrong(store, failed, false).empty() &&
                                       !store.programs.by_identity("identity " + std::to_string(failed)));
  if (!taken_back) FAIL("a transaction that failed is there");
  BusyMinute(store).run(minute.acknowledged, failed);
  return minute;
}

Minute powerless_at(const Folder& folder, int number) {
  Minute minute;
  FaultVfs vfs;
  {
    store::Store store(folder.database(), store::Access::write);
    vfs.cut_power(number);
    try {
      BusyMinute(store).run(minute.acknowledged);
    } catch (const store::StoreError&) {
    }
    minute.struck = vfs.struck();
  }
  vfs.lose_power(static_cast<std::uint64_t>(number));
  return minute;
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
    "fault 4: a disk that is full at any write rolls the whole transaction back, and work goes on once there is room") {
  CHECK(every_chance(full_at) > 30);
}

TEST_CASE("fault 3: after a power loss at any moment every acknowledged row is there and the database opens clean") {
  CHECK(every_chance(powerless_at) > 30);
}
