// The versions of the schema, and the migration to the newest one. Internal to store/.
#pragma once

#include <filesystem>
#include <vector>

namespace SQLite {
class Database;
}

namespace parityd::store {

struct Migration {
  int version;      // PRAGMA user_version after it; 1, 2, … without gaps
  const char* sql;  // schema/NNN_name.sql
};

/// Every migration that this build knows, oldest first.
[[nodiscard]] const std::vector<Migration>& migrations();

/// Marks a file as parityd's (PRAGMA application_id): "prty".
inline constexpr int kApplicationId = 0x70727479;

/// Throws StoreError unless the database is parityd's, or empty, and no newer than `known`. Returns its version; 0 if
/// empty.
int checked_version(SQLite::Database& database, const std::filesystem::path& file, const std::vector<Migration>& known);

/// Applies missing migrations in one transaction. A database that is not empty is copied beside itself first
/// (FILE.schema-N.backup). Safe if another process does the same at the same time.
void migrate(SQLite::Database& database, const std::filesystem::path& file, const std::vector<Migration>& known);

}  // namespace parityd::store
