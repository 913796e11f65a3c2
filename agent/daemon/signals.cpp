#include "agent/daemon/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <system_error>

namespace parityd::agent {

StopSignals::StopSignals() {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGINT);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGPIPE);
  if (sigprocmask(SIG_BLOCK, &mask, &previous_) != 0) {
    throw std::system_error(errno, std::generic_category(), "sigprocmask");
  }
  sigdelset(&mask, SIGPIPE);
  descriptor_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
}

StopSignals::~StopSignals() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &previous_, nullptr);
}

int StopSignals::take() const {
  int count = 0;
  signalfd_siginfo info{};
  while (read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    ++count;
  }
  return count;
}

}  // namespace parityd::agent
