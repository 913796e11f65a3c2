#include "executor/launcher/identity.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

}  // namespace

std::string become_nobody() {
  if (setgroups(0, nullptr) != 0) return reason("setgroups", errno);
  if (setresgid(kNobody, kNobody, kNobody) != 0) return reason("setresgid", errno);
  if (setresuid(kNobody, kNobody, kNobody) != 0) return reason("setresuid", errno);
  prctl(PR_SET_DUMPABLE, 1);  // otherwise its own files in /proc would belong to root
  return {};
}

bool readable_by_others(const fs::path& path, uid_t user) {
  struct stat what {};
  for (fs::path part = path;; part = part.parent_path()) {
    if (stat(part.c_str(), &what) != 0) return false;
    const mode_t wanted = S_ISDIR(what.st_mode) ? S_IXOTH : S_IROTH;
    const mode_t granted = what.st_uid == user ? what.st_mode >> 6 : what.st_mode;
    if ((granted & wanted) == 0) return false;
    if (!part.has_relative_path()) return true;
  }
}

}  // namespace parityd::launcher
