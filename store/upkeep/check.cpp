#include "store/upkeep/check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <utility>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

constexpr int kStepsBetweenStops = 10'000;  // of SQLite's virtual machine
constexpr int kCheckBusyMillis = 10'000;

std::optional<std::string> first_complaint(SQLite::Database& database, CheckDepth depth) {
  SQLite::Statement statement(database,
                              depth == CheckDepth::quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)");
  if (!statement.executeStep()) return std::nullopt;
  const std::string said = statement.getColumn(0).getString();
  return said == "ok" ? std::string() : said;
}

}  // namespace

std::optional<std::string> what_is_damaged(const std::filesystem::path& file, CheckDepth depth,
                                           const std::atomic<bool>& stop) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY, kCheckBusyMillis);
    sqlite3_progress_handler(
        database.getHandle(), kStepsBetweenStops,
        [](void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; },
        const_cast<std::atomic<bool>*>(&stop));
    return first_complaint(database, depth);
  } catch (const SQLite::Exception& error) {
    if (fault_of(error) == StoreFault::damaged) return error.what();
    return std::nullopt;
  }
}

BackgroundCheck::BackgroundCheck(std::filesystem::path file, CheckDepth depth)
    : depth_(depth), thread_([this, file = std::move(file)] {
        damage_ = what_is_damaged(file, depth_, stop_);
        ended_ = true;
        ended_.notify_all();
      }) {}

BackgroundCheck::~BackgroundCheck() {
  stop_ = true;
  thread_.join();
}

}  // namespace parityd::store
