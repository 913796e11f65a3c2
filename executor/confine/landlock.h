// Landlock by system calls: an allow-list of paths, plus whatever else this kernel's version of it can restrict. Holds
// for the calling thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::confine {

/// Folders and files by what is allowed on them; those that do not exist are skipped.
struct PathRules {
  std::vector<std::filesystem::path> read;     // and execute
  std::vector<std::filesystem::path> write;    // and read, make, remove
  std::vector<std::filesystem::path> devices;  // read, write, ioctl
};

/// Confines this thread and everything it starts, permanently; needs no_new_privs. Returns empty, or the reason why
/// this is not available.
[[nodiscard]] std::string confine_paths(const PathRules& rules);

}  // namespace parityd::confine
