// Copies a database that is in use, page by page. Any thread.
#pragma once

#include <filesystem>
#include <functional>

namespace SQLite {
class Database;
}

namespace parityd::store {

/// Called from time to time with pages done and pages in total.
using BackupProgress = std::function<void(int done, int all)>;

/// Copies the pages only, into a file created for them that only its owner can read. The source reads from its own
/// snapshot, so commits by others do not restart the copy. Throws SQLite::Exception, and StoreError if the file cannot
/// be created.
void copy_pages(SQLite::Database& from, const std::filesystem::path& unfinished, const BackupProgress& progress);
/// Switches the journal mode, since a copy needs no write-ahead log beside it.
void make_single(const std::filesystem::path& unfinished);

/// Copies from an open connection and overwrites `copy`, without further checks; for the copy before a migration.
void copy_database(SQLite::Database& from, const std::filesystem::path& copy);

}  // namespace parityd::store
