#include "executor/launcher/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace parityd::launcher {
namespace {

constexpr std::array<NamespacePlan, 9> kPlans{{
    {.network = true, .ipc = true, .pid = true},
    {.user = true, .network = true, .ipc = true, .pid = true},
    {.ipc = true, .pid = true},
    {.user = true, .ipc = true, .pid = true},
    {.network = true, .ipc = true},
    {.user = true, .network = true, .ipc = true},
    {.network = true},
    {.user = true, .network = true},
    {},
}};

int write_file(const char* path, std::string_view text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return errno;
  }
  const int failed = write(file, text.data(), text.size()) < 0 ? errno : 0;
  close(file);
  return failed;
}

std::string map_to_itself(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

}  // namespace

int NamespacePlan::clone_flags() const {
  return (user ? CLONE_NEWUSER : 0) | (network ? CLONE_NEWNET : 0) | (ipc ? CLONE_NEWIPC : 0) |
         (pid ? CLONE_NEWPID | CLONE_NEWNS : 0);
}

std::vector<std::string> NamespacePlan::layers() const {
  std::vector<std::string> names;
  for (const auto& [on, layer] :
       {std::pair{network, "network"}, {pid, "pid"}, {pid, "mount"}, {ipc, "ipc"}, {user, "user"}}) {
    if (on) {
      names.emplace_back(layer);
    }
  }
  return names;
}

std::span<const NamespacePlan> namespace_plans() { return kPlans; }

int enter_namespaces(const NamespacePlan& plan, const Identity& outside) {
  if (plan.user) {
    // Without setgroups denied an unprivileged process may not map a group. Older kernels have no such file.
    if (const int failed = write_file("/proc/self/setgroups", "deny"); failed != 0 && failed != ENOENT) {
      return failed;
    }
    if (const int failed = write_file("/proc/self/uid_map", map_to_itself(outside.user)); failed != 0) {
      return failed;
    }
    if (const int failed = write_file("/proc/self/gid_map", map_to_itself(outside.group)); failed != 0) {
      return failed;
    }
  }
  if (plan.pid && (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                   mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)) {
    return errno;
  }
  return 0;
}

}  // namespace parityd::launcher
