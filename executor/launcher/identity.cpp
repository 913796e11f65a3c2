#include "executor/launcher/identity.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "executor/launcher/pipe.h"

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

int write_file(const char* path, std::string_view text) {
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) {
    return errno;
  }
  return write(file.number(), text.data(), text.size()) < 0 ? errno : 0;
}

std::string to_itself(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

}  // namespace

std::string become_nobody() {
  if (setgroups(0, nullptr) != 0) {
    return reason("setgroups", errno);
  }
  if (setresgid(kNobody, kNobody, kNobody) != 0) {
    return reason("setresgid", errno);
  }
  if (setresuid(kNobody, kNobody, kNobody) != 0) {
    return reason("setresuid", errno);
  }
  prctl(PR_SET_DUMPABLE, 1);  // else its own files in /proc would be root's
  return {};
}

std::string enter_user_namespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER) != 0) {
    return reason("unshare", errno);
  }
  const int failed = map_identity(user, group);
  return failed == 0 ? "" : reason("uid_map", failed);
}

int map_identity(uid_t user, gid_t group) {
  // Without setgroups denied an unprivileged process may not map a group. Older kernels have no such file.
  if (const int failed = write_file("/proc/self/setgroups", "deny"); failed != 0 && failed != ENOENT) {
    return failed;
  }
  if (const int failed = write_file("/proc/self/uid_map", to_itself(user)); failed != 0) {
    return failed;
  }
  return write_file("/proc/self/gid_map", to_itself(group));
}

std::string drop_capabilities() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // refused to those who have none anyway
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  return syscall(SYS_capset, &header, none.data()) == 0 ? "" : reason("capset", errno);
}

bool readable_by_others(const fs::path& path, uid_t user) {
  struct stat what {};
  for (fs::path part = path;; part = part.parent_path()) {
    if (stat(part.c_str(), &what) != 0) {
      return false;
    }
    const mode_t wanted = S_ISDIR(what.st_mode) ? S_IXOTH : S_IROTH;
    const mode_t granted = what.st_uid == user ? what.st_mode >> 6 : what.st_mode;
    if ((granted & wanted) == 0) {
      return false;
    }
    if (!part.has_relative_path()) {
      return true;
    }
  }
}

}  // namespace parityd::launcher
