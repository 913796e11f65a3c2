// Backups of a database that is in use, by SQLite's backup API. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "store/base/copy.h"

namespace parityd::store {

/// Copies the committed state into `copy`, a single file that needs nothing beside it and that only its owner can read.
/// Writers are not blocked. The copy is made under a temporary name (COPY.new), checked completely (integrity_check),
/// made durable and only then renamed. Throws StoreError if something of that name exists, if the copy is damaged (it
/// is removed), or if the disk is full. Returns its size in bytes.
std::int64_t back_up(const std::filesystem::path& file, const std::filesystem::path& copy,
                     const BackupProgress& progress);

/// Replaces the database by a copy. The old database and its side files are moved into a folder beside it, whose name
/// is returned (empty if there was no database). No process may have it open. Throws StoreError, and changes nothing,
/// if the copy is not a sound database of parityd's.
std::filesystem::path restore(const std::filesystem::path& copy, const std::filesystem::path& file, std::int64_t now);

}  // namespace parityd::store
