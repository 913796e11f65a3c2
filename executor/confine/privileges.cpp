#include "executor/confine/privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "executor/confine/descriptor.h"

namespace parityd::confine {
namespace {

int write_file(const char* path, std::string_view text) {
  const executor::Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) return errno;
  return write(file.number(), text.data(), text.size()) < 0 ? errno : 0;
}

std::string to_itself(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

}  // namespace

std::string enter_user_namespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return reason("unshare", errno);
  const int failed = map_identity(user, group);
  return failed == 0 ? "" : reason("uid_map", failed);
}

int map_identity(uid_t user, gid_t group) {
  // An unprivileged process may not map a group unless setgroups is denied. Older kernels have no such file.
  if (const int failed = write_file("/proc/self/setgroups", "deny"); failed != 0 && failed != ENOENT) return failed;
  if (const int failed = write_file("/proc/self/uid_map", to_itself(user)); failed != 0) return failed;
  return write_file("/proc/self/gid_map", to_itself(group));
}

std::string drop_capabilities(std::optional<int> kept) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (capability != kept) {
      prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // fails only for those who have no capabilities anyway
    }
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (kept) {
    auto& set = sets.at(static_cast<std::size_t>(CAP_TO_INDEX(*kept)));
    set.effective = set.permitted = set.inheritable = CAP_TO_MASK(*kept);
  }
  if (syscall(SYS_capset, &header, sets.data()) != 0) return reason("capset", errno);
  // If the user is not root, only ambient capabilities survive an exec.
  return !kept || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, *kept, 0, 0) == 0 ? "" : reason("ambient", errno);
}

}  // namespace parityd::confine
