#include "agent/cli/scratch_folder.h"

#include <string>
#include <system_error>
#include <vector>

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> entries_but(const fs::path& folder, const fs::path& left) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path() != left) entries.push_back(entry.path());
  }
  return entries;
}

/// Inside the folder itself: it may be a mount, out of which nothing can be renamed.
void set_aside(const fs::path& folder, const fs::path& left) {
  fs::create_directories(left);
  int number = 0;
  for (const fs::path& entry : entries_but(folder, left)) {
    while (fs::exists(fs::symlink_status(left / std::to_string(number)))) {
      ++number;  // left by a daemon that was killed before its own was removed
    }
    std::error_code ignored;
    fs::rename(entry, left / std::to_string(number), ignored);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(fs::path folder) : folder_(std::move(folder)) {
  if (fs::create_directories(folder_)) return;
  const fs::path left = folder_ / "left";
  set_aside(folder_, left);
  remover_ = std::jthread([left] {
    std::error_code ignored;
    fs::remove_all(left, ignored);
  });
}

ScratchFolder::~ScratchFolder() {
  if (remover_.joinable()) remover_.join();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace parityd::agent
