#include "agent/cli/watched_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace parityd::agent {

WatchedSignals::WatchedSignals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGWINCH}) sigaddset(&wanted, signal);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&wanted, SIGHUP);  // under nohup it stays ignored
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
  descriptor_ = executor::Descriptor(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.open()) throw std::system_error(errno, std::generic_category(), "cannot watch signals");
}

WatchedSignals::~WatchedSignals() {
  std::signal(SIGPIPE, pipe_before_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool WatchedSignals::wait(std::chrono::milliseconds most) const {
  pollfd waiting{.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
  (void)poll(&waiting, 1, static_cast<int>(most.count()));
  signalfd_siginfo came{};
  while (::read(descriptor_.number(), &came, sizeof came) == static_cast<ssize_t>(sizeof came)) {
    if (came.ssi_signo != SIGWINCH) return false;
  }
  return true;
}

}  // namespace parityd::agent
