// The schema's versions and how a database is brought to the newest one. Internal to store/.
#pragma once

#include <filesystem>
#include <vector>

namespace SQLite {
class Database;
}

namespace parityd::store {

struct Migration {
  int version;      // PRAGMA user_version once it is applied; 1, 2, … without gaps
  const char* sql;  // schema/NNN_name.sql
};

/// Every migration this build knows, oldest first.
[[nodiscard]] const std::vector<Migration>& migrations();

/// Marks a file as ours (PRAGMA application_id): "prty".
inline constexpr int kApplicationId = 0x70727479;

/// Throws StoreError unless the database is ours, or empty, and no newer than `known`. Returns its version; 0 when
/// empty.
int checked_version(SQLite::Database& database, const std::filesystem::path& file, const std::vector<Migration>& known);

/// Applies what is missing in one transaction. A database that holds something is copied beside itself first
/// (FILE.schema-N.backup). Safe against another process doing the same.
void migrate(SQLite::Database& database, const std::filesystem::path& file, const std::vector<Migration>& known);

}  // namespace parityd::store
