#include "executor/launcher/namespaces.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

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
  return error == ENOSPC ? "no more allowed: /proc/sys/user/max_*_namespaces" : std::strerror(error);
}

int try_alone(int flags) {
  const pid_t child = clone_process(flags);
  if (child < 0) {
    return errno;
  }
  if (child == 0) {
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return 0;
}

}  // namespace

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
    if (!layers.on(layer) || (layer == Layer::user && layers.on(Layer::identity))) {
      continue;
    }
    const int user = layers.on(Layer::user) && !layers.on(Layer::identity) ? CLONE_NEWUSER : 0;
    if (const int refused = try_alone(user | flag); refused != 0) {
      layers.switch_off(layer, reason(refused));
      any = true;
    }
  }
  for (const auto& [layer, flag] : kFlags) {
    if (!any && layers.on(layer)) {
      layers.switch_off(layer, "together with the others: " + reason(error));
    }
  }
}

}  // namespace parityd::launcher
