// Landlock by system call: an allow-list of paths, and what else this kernel's version of it can take away.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::confine {

/// Folders and files by what may be done with them; whatever does not exist is skipped.
struct PathRules {
  std::vector<std::filesystem::path> read;     // and execute
  std::vector<std::filesystem::path> write;    // and read, make, remove
  std::vector<std::filesystem::path> devices;  // read, write, ioctl
};

/// Confines this thread and all it starts, for good; needs no_new_privs. Empty, or why it cannot be had.
[[nodiscard]] std::string confine_paths(const PathRules& rules);

}  // namespace parityd::confine
