#include "executor/launcher/namespaces.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "executor/confine/privileges.h"
#include "executor/launcher/pipe.h"

namespace parityd::launcher {
namespace {

constexpr std::array<std::pair<Layer, int>, 7> kFlags{{{Layer::user, CLONE_NEWUSER},
                                                       {Layer::mount, CLONE_NEWNS},
                                                       {Layer::pid, CLONE_NEWPID | CLONE_NEWNS},  // for its own /proc
                                                       {Layer::network, CLONE_NEWNET},
                                                       {Layer::ipc, CLONE_NEWIPC},
                                                       {Layer::uts, CLONE_NEWUTS},
                                                       {Layer::cgroup, CLONE_NEWCGROUP}}};

std::string reason(int error) {
  return error == ENOSPC ? "limit reached: /proc/sys/user/max_*_namespaces" : std::strerror(error);
}

int try_alone(int flags) {
  const pid_t child = clone_process(flags);
  if (child < 0) return errno;
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return 0;
}

/// 0 or an errno.
int unshare_processes() { return unshare(CLONE_NEWPID | CLONE_NEWNS) == 0 ? 0 : errno; }
/// Runs `then` in a child and exits with its errno; if `failed` is set, exits with that.
[[noreturn]] void exit_with(int failed, int (*then)()) {
  const pid_t child = failed == 0 ? fork() : -1;
  if (child == 0) _exit(then());
  int how = 0;
  if (child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how)) failed = WEXITSTATUS(how);
  _exit(failed == 0 && child < 0 ? EAGAIN : failed);
}

/// Tried in processes that end afterwards, because neither namespace could be left again.
std::string try_process_namespace() {
  const pid_t child = fork();
  if (child == 0) exit_with(unshare_processes(), confine::mount_own_proc);
  int how = 0;
  if (child < 0 || waitpid(child, &how, 0) != child || !WIFEXITED(how)) return std::strerror(EAGAIN);
  return WEXITSTATUS(how) == 0 ? "" : std::strerror(WEXITSTATUS(how));
}

}  // namespace

std::string enter_process_namespace() {
  if (std::string why = try_process_namespace(); !why.empty()) return why;
  const int failed = unshare_processes();
  const pid_t child = failed == 0 ? fork() : -1;
  if (child > 0) {
    prctl(PR_SET_NAME, "parityd-nest");
    prctl(PR_SET_DUMPABLE, 0);
    close_from(0);  // above all the channel, whose end others wait for
    int how = 0;
    while (waitpid(child, &how, 0) != child) {
    }
    _exit(end_like(how));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int refused = failed != 0 ? failed : child < 0 ? errno : confine::mount_own_proc();
  if (refused != 0) throw std::system_error(refused, std::generic_category(), "process namespace");
  return {};
}

pid_t clone_process(int flags) {
  return static_cast<pid_t>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

int clone_flags(const Layers& layers) {
  int flags = 0;
  for (const auto& [layer, flag] : kFlags) {
    const bool later = layer == Layer::user && layers.on(Layer::identity);
    flags |= layers.on(layer) && !later ? flag : 0;
  }
  return flags;
}

void switch_off_refused(Layers& layers, int error) {
  bool any = false;
  for (const auto& [layer, flag] : kFlags) {
    if (!layers.on(layer) || (layer == Layer::user && layers.on(Layer::identity))) continue;
    const int user = layers.on(Layer::user) && !layers.on(Layer::identity) ? CLONE_NEWUSER : 0;
    if (const int refused = try_alone(user | flag); refused != 0) {
      layers.switch_off(layer, reason(refused));
      any = true;
    }
  }
  for (const auto& [layer, flag] : kFlags) {
    if (!any && layers.on(layer)) layers.switch_off(layer, "together with the others: " + reason(error));
  }
}

}  // namespace parityd::launcher
