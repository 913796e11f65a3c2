#include "executor/launcher/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "executor/confine/descriptor.h"
#include "executor/confine/privileges.h"
#include "executor/launcher/identity.h"
#include "executor/launcher/mount_tree.h"
#include "executor/launcher/namespaces.h"
#include "executor/launcher/room_trial.h"
#include "executor/launcher/seccomp.h"

namespace parityd::launcher {
namespace {

template <typename Action>
void apply(Layers& layers, Layer layer, Action action) {
  if (!layers.on(layer)) return;
  if (std::string why = action(); !why.empty()) layers.switch_off(layer, std::move(why));
}

/// The kernel weighs sessions against each other before it weighs processes (sched(7), "The autogroup feature"), and a
/// new session has nice value 0: each worker would weigh as much as the whole daemon, whatever its own nice value. The
/// kernel accepts ten such changes a second from all users except root together, hence the retries.
void make_session_as_nice_as_process() {
  constexpr int kTries = 10;
  constexpr auto kBetween = std::chrono::milliseconds(50);
  const int nice = getpriority(PRIO_PROCESS, 0);
  const std::string text = std::to_string(nice);
  for (int tried = 0; nice != 0 && tried < kTries; ++tried) {
    const executor::Descriptor file(open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
    if (!file.open() || write(file.number(), text.data(), text.size()) > 0 || errno != EAGAIN) return;
    std::this_thread::sleep_for(kBetween);
  }
}

std::string error_unless(bool done) { return done ? "" : std::strerror(errno); }

std::string begin_session() {
  std::string why = error_unless(setsid() >= 0);
  if (why.empty()) make_session_as_nice_as_process();
  return why;
}

confine::PathRules path_rules(const Layers& layers, const Surroundings& surroundings) {
  confine::PathRules rules;
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

CallRules call_rules(const Layers& layers) {
  return {.reach = layers.on(Layer::network) && layers.on(Layer::mount) ? Reach::own : Reach::host,
          .builds_rooms = false,
          .spared = std::nullopt};
}

bool makes_namespaces(const Layers& layers) {
  return layers.on(Layer::child_user) || layers.on(Layer::child_processes);
}

/// The room that the layers still on allow.
confine::ChildRoom room_for_children(const Layers& layers, const Arguments& arguments,
                                     const Surroundings& surroundings) {
  confine::ChildRoom room{.hidden = layers.on(Layer::hidden),
                          .processes = layers.on(Layer::child_processes),
                          .user = layers.on(Layer::child_user),
                          .paths = std::nullopt,
                          .filter = {},
                          .jobs = arguments.scratch / "jobs",
                          .memory = {}};
  if (layers.on(Layer::mount)) room.memory = memory_folders(surroundings.plan);
  if (layers.on(Layer::landlock)) room.paths = path_rules(layers, surroundings);
  if (layers.on(Layer::seccomp)) {
    CallRules rules = call_rules(layers);
    // In its own process namespace the same number means another process.
    rules.spared = room.processes ? std::nullopt : std::optional(confine::kParentsPlace);
    room.filter = filter_program(rules);
  }
  return room;
}

/// A process that makes namespaces for children needs privilege over the namespaces it is in itself: here over its own,
/// which hold nothing of ours.
void enter_namespaces_of_rooms(Layers& layers) {
  std::string why = layers.on(Layer::user) ? confine::enter_user_namespace() : "no user namespace around it";
  for (const Layer layer : {Layer::child_user, Layer::child_processes}) {
    if (!why.empty() && layers.on(layer)) layers.switch_off(layer, why);
  }
  apply(layers, Layer::child_processes, enter_process_namespace);
}

constexpr rlim_t kOpenFiles = 4096;              // CUDA and a compiler need hundreds
constexpr rlim_t kFileSize = rlim_t{512} << 20;  // above a precompiled header's 150 MB
constexpr rlim_t kOwnProcesses = 512;            // threads count too
constexpr rlim_t kUserProcesses = 32768;         // shared by all workers of a user if processes are counted per user
constexpr rlim_t kPrivateMemory = rlim_t{8} << 30;
constexpr rlim_t kPrivateMemoryWithGpu = rlim_t{16} << 30;

bool lower(decltype(RLIMIT_CORE) resource, rlim_t wanted) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_max = std::min(limit.rlim_max, wanted);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0;
}

}  // namespace

std::optional<confine::ChildRoom> confine(Layers& layers, const Arguments& arguments,
                                          const Surroundings& surroundings) {
  const bool has_children = arguments.fork_parent || arguments.probe;
  apply(layers, Layer::session, begin_session);
  apply(layers, Layer::identity, become_nobody);
  if (layers.on(Layer::identity)) apply(layers, Layer::user, confine::enter_user_namespace);
  if (has_children && makes_namespaces(layers)) enter_namespaces_of_rooms(layers);
  const bool rooms = has_children && makes_namespaces(layers);
  apply(layers, Layer::rlimits, [&] { return set_limits(layers.on(Layer::user), surroundings.gpu); });
  apply(layers, Layer::capabilities,
        [&] { return confine::drop_capabilities(rooms ? std::optional(CAP_SYS_ADMIN) : std::nullopt); });
  apply(layers, Layer::no_new_privs, [] { return error_unless(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0); });
  if (!has_children) {
    apply(layers, Layer::landlock, [&] { return confine::confine_paths(path_rules(layers, surroundings)); });
  }
  CallRules rules = call_rules(layers);
  rules.builds_rooms = rooms;
  apply(layers, Layer::seccomp, [&] { return filter_system_calls(rules); });
  if (!has_children) return std::nullopt;
  return tried_room(layers, [&] { return room_for_children(layers, arguments, surroundings); });
}

std::string set_limits(bool counted_apart, bool gpu) {
  // Never set RLIMIT_AS: CUDA reserves huge address ranges.
  const std::array done{lower(RLIMIT_CORE, 0),
                        lower(RLIMIT_NOFILE, kOpenFiles),
                        lower(RLIMIT_FSIZE, kFileSize),
                        lower(RLIMIT_NPROC, counted_apart ? kOwnProcesses : kUserProcesses),
                        lower(RLIMIT_DATA, gpu ? kPrivateMemoryWithGpu : kPrivateMemory),
                        lower(RLIMIT_RTPRIO, 0),
                        lower(RLIMIT_NICE, 0)};
  return std::ranges::all_of(done, [](bool it) { return it; }) ? "" : std::strerror(errno);
}

}  // namespace parityd::launcher
