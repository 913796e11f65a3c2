#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "store/base/copy.h"
#include "store/base/error.h"
#include "store/base/schema.h"

namespace parityd::store {
namespace {

int pragma(SQLite::Database& database, const char* sql) {
  SQLite::Statement statement(database, sql);
  return statement.executeStep() ? statement.getColumn(0).getInt() : 0;
}

bool is_empty(SQLite::Database& database) { return pragma(database, "SELECT count(*) FROM sqlite_schema") == 0; }

}  // namespace

int checked_version(SQLite::Database& database, const std::filesystem::path& file,
                    const std::vector<Migration>& known) {
  const int version = pragma(database, "PRAGMA user_version");
  const bool ours = pragma(database, "PRAGMA application_id") == kApplicationId;
  if (!ours && !is_empty(database)) {
    throw StoreError(fmt::format("{}: is not a parityd database; choose another folder with --state", file.string()));
  }
  const int newest = known.empty() ? 0 : known.back().version;
  if (version > newest) {
    throw StoreError(
        fmt::format("{}: has schema {}, newer than the {} this parityd supports, and was not changed; use the parityd "
                    "that wrote it, or choose another folder with --state",
                    file.string(), version, newest));
  }
  return version;
}

void migrate(SQLite::Database& database, const std::filesystem::path& file, const std::vector<Migration>& known) {
  const int found = checked_version(database, file, known);
  if (known.empty() || found == known.back().version) return;
  if (!is_empty(database)) copy_database(database, fmt::format("{}.schema-{}.backup", file.string(), found));
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = checked_version(database, file, known);  // another process may have been first
  for (const Migration& migration : known) {
    if (migration.version <= version) continue;
    database.exec(migration.sql);
    database.exec(fmt::format("PRAGMA user_version = {}", migration.version));
  }
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  transaction.commit();
}

}  // namespace parityd::store
