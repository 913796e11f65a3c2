#include "executor/launcher/confinement.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "executor/descriptor.h"
#include "executor/launcher/identity.h"
#include "executor/launcher/landlock.h"
#include "executor/launcher/limits.h"
#include "executor/launcher/seccomp.h"

namespace parityd::launcher {
namespace {

template <typename Action>
void apply(Layers& layers, Layer layer, Action action) {
  if (!layers.on(layer)) {
    return;
  }
  if (std::string why = action(); !why.empty()) {
    layers.switch_off(layer, std::move(why));
  }
}

/// The kernel weighs sessions against each other before processes (sched(7), "The autogroup feature"), and a new one is
/// not nice: each worker would weigh as much as the whole daemon, however nice it is. All users but root together may
/// say so ten times a second.
void make_session_as_nice_as_process() {
  constexpr int kTries = 10;
  constexpr auto kBetween = std::chrono::milliseconds(50);
  const int nice = getpriority(PRIO_PROCESS, 0);
  const std::string text = std::to_string(nice);
  for (int tried = 0; nice != 0 && tried < kTries; ++tried) {
    const executor::Descriptor file(open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
    if (!file.open() || write(file.number(), text.data(), text.size()) > 0 || errno != EAGAIN) {
      return;
    }
    std::this_thread::sleep_for(kBetween);
  }
}

std::string error_unless(bool done) { return done ? "" : std::strerror(errno); }

std::string begin_session() {
  std::string why = error_unless(setsid() >= 0);
  if (why.empty()) {
    make_session_as_nice_as_process();
  }
  return why;
}

PathRules path_rules(const Layers& layers, const Surroundings& surroundings) {
  PathRules rules;
  for (const auto& [path, access] : surroundings.plan.binds()) {
    (access == Access::read ? rules.read : access == Access::write ? rules.write : rules.devices).push_back(path);
  }
  if (layers.on(Layer::mount)) {
    rules.read.insert(rules.read.end(), {"/etc", "/dev"});
    rules.write.insert(rules.write.end(), {"/tmp", "/dev/shm"});
  }
  if (layers.on(Layer::pid)) {
    rules.devices.emplace_back("/proc");  // drivers write thread names there; nothing in it may be executed
  } else {
    rules.devices.emplace_back("/proc/self");
    rules.read.insert(rules.read.end(),
                      {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/devices", "/proc/driver",
                       "/proc/filesystems", "/proc/version", "/proc/loadavg", "/proc/sys", "/proc/modules"});
  }
  return rules;
}

}  // namespace

void confine(Layers& layers, const Surroundings& surroundings) {
  apply(layers, Layer::session, begin_session);
  apply(layers, Layer::identity, become_nobody);
  if (layers.on(Layer::identity)) {
    apply(layers, Layer::user, enter_user_namespace);
  }
  apply(layers, Layer::rlimits, [&] { return set_limits(layers.on(Layer::user), surroundings.gpu); });
  apply(layers, Layer::capabilities, drop_capabilities);
  apply(layers, Layer::no_new_privs, [] { return error_unless(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0); });
  apply(layers, Layer::landlock, [&] { return confine_paths(path_rules(layers, surroundings)); });
  const bool alone = layers.on(Layer::network) && layers.on(Layer::mount);
  apply(layers, Layer::seccomp, [&] { return filter_system_calls(alone ? Reach::own : Reach::host); });
}

}  // namespace parityd::launcher
