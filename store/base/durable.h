// Files whose names and bytes outlast a power loss. Any thread; errors are std::filesystem::filesystem_error.
#pragma once

#include <filesystem>

namespace parityd::store {

/// The file's bytes, or the folder's names, are on the disk when it returns.
void sync_path(const std::filesystem::path& path);

/// Renames over what is there, and makes the new name durable.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// No error where there is none.
void remove_durably(const std::filesystem::path& file);

/// Its bytes; 0 where there is no such file.
[[nodiscard]] std::uintmax_t size_of(const std::filesystem::path& file) noexcept;

// A file beside the database that stands there while nobody has it open for writing and the last who had closed it as
// one should. Without it the next writer has the file checked (store/upkeep/check.h). Internal to store/. One thread.

/// FILE.clean
[[nodiscard]] std::filesystem::path clean_mark_of(const std::filesystem::path& file);

/// Takes the mark away, durably; returns whether the database may be trusted: the mark was there, or the file is new.
/// A write-ahead log that came after the mark belongs to another database or another time and is set aside
/// (FILE-wal.stale), because SQLite would play it into this one. Throws StoreError where the folder cannot be written.
[[nodiscard]] bool take_clean_mark(const std::filesystem::path& file);

/// Leaves the mark, durably. Without it the next start only checks once more, so failures are ignored.
void leave_clean_mark(const std::filesystem::path& file) noexcept;

}  // namespace parityd::store
