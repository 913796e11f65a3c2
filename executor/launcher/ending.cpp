#include "executor/launcher/ending.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

namespace parityd::launcher {

void restore_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

int end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) {
    return WEXITSTATUS(wait_status);
  }
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(WTERMSIG(wait_status), SIG_DFL);
  restore_signals();
  raise(WTERMSIG(wait_status));
  return 128 + WTERMSIG(wait_status);
}

}  // namespace parityd::launcher
