#include "executor/launcher/sandbox.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include "executor/confine/privileges.h"
#include "executor/launcher/confinement.h"
#include "executor/launcher/environment.h"
#include "executor/launcher/identity.h"
#include "executor/launcher/mount_tree.h"
#include "executor/launcher/namespaces.h"

namespace parityd::launcher {
namespace {

/// For calls whose failure shows up where it matters. Optimising builds do not accept a plain cast.
void unchecked(int /*result*/) {}

namespace fs = std::filesystem;

constexpr int kSetUpFailed = 125;

/// Sent by the child when its namespaces and tree are in place, or with the layer that must be dropped before another
/// try.
struct Ready {
  bool done = false;
  Layer missing = Layer::mount;
  std::array<char, 240> why{};
};

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // For the first process of a process namespace, the parent is 0.
  if (const pid_t above = getppid(); above != parent && above != 0) {
    _exit(kSetUpFailed);  // it died before the request took effect
  }
}

/// Pid 1 of the new namespace: adopts and reaps what the program leaves behind and reports how the program ended. When
/// it ends, so does every process of the namespace.
[[noreturn]] void be_init(pid_t program, Descriptor status) {
  prctl(PR_SET_NAME, "parityd-init");
  prctl(PR_SET_DUMPABLE, 0);
  const int kept = dup2(status.number(), STDIN_FILENO);
  close_from(STDIN_FILENO + 1);  // above all the channel, whose end others wait for
  int how = 0;
  pid_t ended = 0;
  while ((ended = wait(&how)) != program) {
    if (ended < 0 && errno != EINTR) _exit(kSetUpFailed);
  }
  _exit(write(kept, &how, sizeof how) == sizeof how ? 0 : kSetUpFailed);
}

struct Attempt {
  Layers layers;
  const Arguments& arguments;
  const Surroundings& surroundings;
  HeaderPlan header;
  uid_t user;
  gid_t group;
};

/// In the new namespaces, while still privileged over them.
std::optional<Setback> enter(const Attempt& attempt) {
  const Layers& layers = attempt.layers;
  if (layers.on(Layer::user) && !layers.on(Layer::identity)) {
    if (const int failed = confine::map_identity(attempt.user, attempt.group); failed != 0) {
      return Setback{Layer::user, std::string("uid_map: ") + std::strerror(failed)};
    }
  }
  if (layers.on(Layer::uts)) {
    unchecked(sethostname(kUser, std::string_view(kUser).size()));  // only to hide ours
  }
  const bool mounts = layers.on(Layer::mount) || layers.on(Layer::pid);
  if (mounts && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return Setback{layers.on(Layer::mount) ? Layer::mount : Layer::pid, std::strerror(errno)};
  }
  if (layers.on(Layer::mount)) {
    const auto program = layers.on(Layer::identity) ? std::optional(kNobody) : std::nullopt;
    return enter_private_tree({.plan = attempt.surroundings.plan,
                               .header = attempt.header,
                               .fresh_proc = layers.on(Layer::pid),
                               .program = program});
  }
  if (const int refused = layers.on(Layer::pid) ? confine::mount_own_proc() : 0; refused != 0) {
    return Setback{Layer::pid, std::string("proc: ") + std::strerror(refused)};
  }
  return std::nullopt;
}

bool tell(const Descriptor& ready, const std::optional<Setback>& setback) {
  Ready message{.done = !setback};
  if (setback) {
    message.missing = setback->layer;
    setback->why.copy(message.why.data(), message.why.size() - 1);
  }
  return write(ready.number(), &message, sizeof message) == sizeof message;
}

/// In the child: turns into the program, or into its init.
[[noreturn]] void be_child(Attempt& attempt, const Become& become, pid_t parent, Pipe ready, Pipe status) {
  const bool own_init = attempt.layers.on(Layer::pid);
  // From a new process namespace the parent appears as 0; a write to `ready` fails if it is gone.
  die_with(own_init ? 0 : parent);
  ready.read.close();
  status.read.close();
  const auto setback = enter(attempt);
  if (!tell(ready.write, setback) || setback) _exit(kSetUpFailed);
  ready.write.close();
  pid_t above = parent;
  if (own_init) {
    above = getpid();
    const pid_t program = fork();
    if (program < 0) _exit(kSetUpFailed);
    if (program != 0) be_init(program, std::move(status.write));
  }
  const auto children = confine(attempt.layers, attempt.arguments, attempt.surroundings);
  die_with(own_init ? above : parent);  // here, because a change of user resets it
  become(attempt.layers, children);
  _exit(kSetUpFailed);
}

/// Empty, or why the program cannot run as another user.
std::string obstacle_to_identity(const Arguments& arguments, const Layers& layers) {
  if (geteuid() != 0) return "not started by root: programs run as parityd's user";
  if (lchown(arguments.scratch.c_str(), kNobody, kNobody) != 0) {
    return "uid " + std::to_string(kNobody) + ": " + std::strerror(errno);
  }
  if (layers.on(Layer::mount)) return {};
  for (const fs::path& path : {arguments.python, arguments.module, arguments.script(), arguments.scratch}) {
    if (path.has_parent_path() && !readable_by_others(path, kNobody)) {
      return "uid " + std::to_string(kNobody) + " cannot reach " + path.string() +
             ", and there is no private mount tree";
    }
  }
  return {};
}

void give_to_program(const std::vector<fs::path>& paths, const Layers& layers) {
  const bool other = layers.on(Layer::identity);
  for (const auto& path : paths) {
    unchecked(lchown(path.c_str(), other ? kNobody : geteuid(), other ? kNobody : getegid()));
  }
}

std::vector<fs::path> everything_below(const fs::path& folder) {
  std::vector<fs::path> all{folder};
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) all.push_back(entry.path());
  return all;
}

Layers layers_wanted(const Arguments& arguments) {
  Layers layers(arguments.sandbox);
  for (const Layer layer : arguments.without) layers.switch_off(layer, "switched off by --without");
  if (!arguments.probe && !arguments.fork_parent) {
    for (const Layer layer : {Layer::child_user, Layer::child_processes}) {
      layers.leave_out(layer);
    }
  }
  return layers;
}

}  // namespace

Sandboxed start_sandboxed(const Arguments& arguments, const Become& become) {
  const auto folders = make_folders(arguments);
  const Surroundings surroundings = look_around(arguments);
  Layers layers = layers_wanted(arguments);
  const pid_t self = getpid();
  for (;;) {
    if (layers.on(Layer::identity)) {
      if (std::string why = obstacle_to_identity(arguments, layers); !why.empty()) {
        layers.switch_off(Layer::identity, std::move(why));
      }
    }
    Attempt attempt{
        .layers = layers, .arguments = arguments, .surroundings = surroundings, .user = geteuid(), .group = getegid()};
    if (arguments.worker()) attempt.header = prepare_header(arguments, layers.on(Layer::mount));
    give_to_program(folders, layers);
    give_to_program(attempt.header.folders, layers);
    if (arguments.build_cache) give_to_program(everything_below(arguments.cache), layers);
    Pipe ready = make_pipe();
    Pipe status = make_pipe();
    const int flags = clone_flags(layers);
    const pid_t child = clone_process(flags);
    if (child == 0) be_child(attempt, become, self, std::move(ready), std::move(status));
    if (child < 0) {
      if (flags == 0) throw std::system_error(errno, std::generic_category(), "no child process can be started");
      switch_off_refused(layers, errno);
      continue;
    }
    ready.write.close();
    Ready said;
    const bool told = read(ready.read.number(), &said, sizeof said) == sizeof said;
    if (told && said.done) return {.child = child, .status = std::move(status.read), .own_init = layers.on(Layer::pid)};
    waitpid(child, nullptr, 0);
    if (!told) throw std::runtime_error("the sandbox's first process died during set-up");
    layers.switch_off(said.missing, said.why.data());
  }
}

void take_cache_back(const Arguments& arguments) {
  if (arguments.build_cache && geteuid() == 0) {
    for (const auto& path : everything_below(arguments.cache)) unchecked(lchown(path.c_str(), geteuid(), getegid()));
  }
}

}  // namespace parityd::launcher
