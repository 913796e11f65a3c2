// A file beside the database that stands there while nobody has it open for writing and the last who had closed it as
// one should. Without it the next writer has the file checked (store/upkeep/check.h). Internal to store/. One thread.
#pragma once

#include <filesystem>

namespace parityd::store {

/// FILE.clean
[[nodiscard]] std::filesystem::path clean_mark_of(const std::filesystem::path& file);

/// Takes the mark away, durably; returns whether the database may be trusted: the mark was there, or the file is new.
/// A write-ahead log that came after the mark belongs to another database or another time and is set aside
/// (FILE-wal.stale), because SQLite would play it into this one. Throws StoreError where the folder cannot be written.
[[nodiscard]] bool take_clean_mark(const std::filesystem::path& file);

/// Leaves the mark, durably. Without it the next start only checks once more, so failures are ignored.
void leave_clean_mark(const std::filesystem::path& file) noexcept;

}  // namespace parityd::store
