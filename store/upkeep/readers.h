// Finds other processes that have the database open: a long-lived reader prevents the write-ahead log from being
// emptied.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::store {

/// Other processes of this machine that have the file or its write-ahead log open, each as "pid 123 (sqlite3)"; those
/// of other users only as far as the system shows them. Any thread.
[[nodiscard]] std::vector<std::string> who_has_open(const std::filesystem::path& file);

}  // namespace parityd::store
