#include "executor/launcher/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "executor/launcher/namespaces.h"

namespace parityd::launcher {
namespace {

constexpr rlim_t kOpenFiles = 4096;              // CUDA and a compiler need hundreds
constexpr rlim_t kFileSize = rlim_t{512} << 20;  // above a precompiled header's 150 MB
constexpr rlim_t kOwnProcesses = 4096;           // counted inside the worker's own user namespace
constexpr rlim_t kUserProcesses = 32768;         // counted over all the user does on this machine
constexpr int kSetUpFailed = 125;

void lower_limit(decltype(RLIMIT_CORE) resource, rlim_t wanted) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_max = std::min(limit.rlim_max, wanted);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

/// Never RLIMIT_AS: CUDA reserves huge address ranges. RLIMIT_NPROC means nothing to root.
void set_limits(const NamespacePlan& plan) {
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_NOFILE, kOpenFiles);
  lower_limit(RLIMIT_FSIZE, kFileSize);
  if (getuid() != 0) {
    lower_limit(RLIMIT_NPROC, plan.user ? kOwnProcesses : kUserProcesses);
  }
}

/// What every sandbox has, whatever the machine grants.
std::vector<std::string> confine(const NamespacePlan& plan) {
  std::vector<std::string> layers;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    layers.emplace_back("no_new_privs");
  }
  if (setsid() >= 0) {
    layers.emplace_back("session");
  }
  set_limits(plan);
  layers.emplace_back("rlimits");
  std::ranges::copy(plan.layers(), std::back_inserter(layers));
  return layers;
}

pid_t clone_process(int flags) {
  // As fork(), with namespaces. The C library's wrapper wants a stack; a process with one thread needs none.
  return static_cast<pid_t>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(kSetUpFailed);  // it died before the request stood
  }
}

/// Pid 1 of the new namespace: adopts and reaps what the program leaves behind and passes the program's end on. Its own
/// end takes every process of the namespace along.
[[noreturn]] void be_init(pid_t program, Descriptor status) {
  prctl(PR_SET_NAME, "parityd-init");
  const int kept = dup2(status.number(), STDIN_FILENO);
  close_from(STDIN_FILENO + 1);  // above all the channel, whose end others wait for
  int how = 0;
  pid_t ended = 0;
  while ((ended = wait(&how)) != program) {
    if (ended < 0 && errno != EINTR) {
      _exit(kSetUpFailed);
    }
  }
  _exit(write(kept, &how, sizeof how) == sizeof how ? 0 : kSetUpFailed);
}

struct Attempt {
  const NamespacePlan& plan;
  Identity outside;
  const std::function<void(const std::vector<std::string>&)>& become;
};

/// In the child. Reports 0 or an errno to `ready`, then becomes the program, or its init.
[[noreturn]] void be_child(const Attempt& attempt, pid_t parent, Pipe ready, Pipe status) {
  // Seen from a new pid namespace the parent is 0, and a write to `ready` fails where it is gone.
  die_with(attempt.plan.pid ? 0 : parent);
  ready.read.close();
  status.read.close();
  const int failed = enter_namespaces(attempt.plan, attempt.outside);
  if (write(ready.write.number(), &failed, sizeof failed) != sizeof failed || failed != 0) {
    _exit(kSetUpFailed);
  }
  ready.write.close();
  if (attempt.plan.pid) {
    const pid_t init = getpid();
    const pid_t program = fork();
    if (program < 0) {
      _exit(kSetUpFailed);
    }
    if (program != 0) {
      be_init(program, std::move(status.write));
    }
    die_with(init);
  }
  attempt.become(confine(attempt.plan));
  _exit(kSetUpFailed);
}

}  // namespace

Sandboxed start_sandboxed(const std::function<void(const std::vector<std::string>&)>& become) {
  const Identity outside{geteuid(), getegid()};
  const pid_t self = getpid();
  int reason = 0;
  for (const auto& plan : namespace_plans()) {
    Pipe ready = make_pipe();
    Pipe status = make_pipe();
    const pid_t child = clone_process(plan.clone_flags());
    if (child == 0) {
      be_child({plan, outside, become}, self, std::move(ready), std::move(status));
    }
    if (child < 0) {
      reason = errno;
      continue;
    }
    ready.write.close();
    int failed = 0;
    if (read(ready.read.number(), &failed, sizeof failed) == sizeof failed && failed == 0) {
      return {.child = child, .status = std::move(status.read), .own_init = plan.pid};
    }
    reason = failed;
    waitpid(child, nullptr, 0);
  }
  throw std::system_error(reason, std::generic_category(), "no child process can be started");
}

}  // namespace parityd::launcher
