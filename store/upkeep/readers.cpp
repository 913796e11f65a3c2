#include "store/upkeep/readers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

bool has_open(const fs::path& process, const std::string& file) {
  std::error_code denied;
  for (fs::directory_iterator entry(process / "fd", denied), end; !denied && entry != end; entry.increment(denied)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry->path(), gone).string();
    if (target == file || target == file + "-wal") return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> who_has_open(const fs::path& file) {
  std::error_code error;
  const std::string whole = fs::canonical(file, error).string();
  std::vector<std::string> found;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string pid = entry->path().filename().string();
    const bool process = std::all_of(pid.begin(), pid.end(), [](char each) { return each >= '0' && each <= '9'; });
    if (!process || pid == std::to_string(getpid()) || !has_open(entry->path(), whole)) continue;
    std::string name;
    std::ifstream stream(entry->path() / "comm");
    std::getline(stream, name);
    found.push_back(fmt::format("pid {} ({})", pid, name));
  }
  return found;
}

}  // namespace parityd::store
