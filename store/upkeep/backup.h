// Copies of a database that is in use, through SQLite's backup API. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "store/base/copy.h"

namespace parityd::store {

/// Copies what is committed now into `copy`, one file that needs nothing beside it, readable by its owner alone.
/// Whoever writes meanwhile is not held up. The copy is made under a temporary name (COPY.new), checked whole
/// (integrity_check), made durable and only then renamed. Throws StoreError: there is something of that name already,
/// the copy is damaged (and removed), the disk is full. Returns its bytes.
std::int64_t back_up(const std::filesystem::path& file, const std::filesystem::path& copy,
                     const BackupProgress& progress);

/// Puts a copy where the database is; the database and what lies beside it go into a folder beside it, whose name is
/// returned (empty: there was none). Nobody may have it open. Throws StoreError when the copy is no sound database of
/// ours, and leaves everything as it was.
std::filesystem::path restore(const std::filesystem::path& copy, const std::filesystem::path& file, std::int64_t now);

}  // namespace parityd::store
