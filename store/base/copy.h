// Copying a database that is in use, page by page. Any thread.
#pragma once

#include <filesystem>
#include <functional>

namespace SQLite {
class Database;
}

namespace parityd::store {

/// Pages done and pages in all, now and then.
using BackupProgress = std::function<void(int done, int all)>;

/// The pages alone, into a file made for them that its owner alone can read. The source has a snapshot of its own: what
/// others commit meanwhile does not begin the copy anew. Throws SQLite::Exception, and StoreError where no file can be
/// made.
void copy_pages(SQLite::Database& from, const std::filesystem::path& unfinished, const BackupProgress& progress);
/// A copy needs no write-ahead log beside it.
void make_single(const std::filesystem::path& unfinished);

/// The copying alone, from an open connection over whatever is there; for the copy before a migration.
void copy_database(SQLite::Database& from, const std::filesystem::path& copy);

}  // namespace parityd::store
