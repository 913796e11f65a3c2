// Files whose names and bytes survive a power loss. Any thread; errors are std::filesystem::filesystem_error.
#pragma once

#include <filesystem>

namespace parityd::store {

/// When it returns, the file's bytes, or the folder's names, are on the disk.
void sync_path(const std::filesystem::path& path);

/// Renames, replacing an existing file, and makes the new name durable.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// No error if the file does not exist.
void remove_durably(const std::filesystem::path& file);

/// In bytes; 0 if there is no such file.
[[nodiscard]] std::uintmax_t size_of(const std::filesystem::path& file) noexcept;

// The clean mark: a file beside the database that exists while no process has it open for writing and the last writer
// closed it cleanly. Without it the next writer has the file checked (store/upkeep/check.h). Internal to store/. One
// thread.

/// FILE.clean
[[nodiscard]] std::filesystem::path clean_mark_of(const std::filesystem::path& file);

/// Removes the mark, durably. Returns whether the database may be trusted: the mark was there, or the file is new. A
/// write-ahead log that appeared after the mark belongs to another database or another time; it is set aside
/// (FILE-wal.stale), because SQLite would replay it into this one. Throws StoreError if the folder cannot be written.
[[nodiscard]] bool take_clean_mark(const std::filesystem::path& file);

/// Leaves the mark, durably. Failures are ignored: without the mark the next start only runs another check.
void leave_clean_mark(const std::filesystem::path& file) noexcept;

}  // namespace parityd::store
