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

}  // namespace parityd::store
