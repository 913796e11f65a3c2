#include "executor/process/open_files.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>

namespace parityd::executor {
namespace {

constexpr rlim_t kPlenty = 65'536;

std::uint64_t open_now() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) {
    return open_files_limit();  // not even this one could be opened
  }
  std::uint64_t count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  constexpr std::uint64_t kNotOurs = 3;  // ".", ".." and the folder itself
  return count - kNotOurs;
}

}  // namespace

std::uint64_t raise_open_files_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = std::min(limit.rlim_max, std::max(kPlenty, limit.rlim_cur));
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  return open_files_limit();
}

std::uint64_t open_files_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::uint64_t open_files_left() {
  const std::uint64_t limit = open_files_limit();
  return limit - std::min(limit, open_now());
}

}  // namespace parityd::executor
