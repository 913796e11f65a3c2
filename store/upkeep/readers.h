// Who else has the database open: a reader that holds a snapshot for long keeps its write-ahead log from being emptied.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::store {

/// Other processes of this machine with the file or its write-ahead log open, each as "pid 123 (sqlite3)"; those of
/// other users only as far as the system lets us see. Any thread.
[[nodiscard]] std::vector<std::string> who_has_open(const std::filesystem::path& file);

}  // namespace parityd::store
