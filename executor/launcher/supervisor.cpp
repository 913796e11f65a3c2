#include "executor/launcher/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "executor/process/process_tree.h"

namespace parityd::launcher {
namespace {

using Clock = OutputRelay::Clock;
constexpr auto kGrace = std::chrono::milliseconds(300);  // for a program that ends by itself when its channel closes
constexpr auto kForever = std::chrono::hours(1);
constexpr std::size_t kAtOnce = std::size_t{1} << 20;

}  // namespace

Supervisor::Supervisor(Sandboxed sandboxed, Channel channel, Descriptor captured, Descriptor signals)
    : sandboxed_(std::move(sandboxed)),
      channel_(std::move(channel)),
      captured_(std::move(captured)),
      signals_(std::move(signals)),
      relay_(STDERR_FILENO),
      status_(SIGKILL) {  // what stays when an init of ours was killed before it could tell
  fcntl(captured_.number(), F_SETFL, O_NONBLOCK);
}

int Supervisor::run() {
  while (!ended_) {
    wait_for_something();
    if (Clock::now() >= kill_at_) {
      kill_tree();
      kill_at_ = Clock::time_point::max();
    }
    reap();
  }
  executor::kill_descendants(getpid());
  while (wait(nullptr) > 0 || errno == EINTR) {
    executor::kill_descendants(getpid());
  }
  relay_.take(captured_.number(), kAtOnce, Clock::now());  // a pipe holds less than that
  relay_.finish();
  return status_;
}

void Supervisor::wait_for_something() {
  std::array<pollfd, 4> watched{{{.fd = channel_.input.number(), .events = POLLRDHUP, .revents = 0},
                                 {.fd = channel_.output.number(), .events = 0, .revents = 0},
                                 {.fd = captured_.number(), .events = POLLIN, .revents = 0},
                                 {.fd = signals_.number(), .events = POLLIN, .revents = 0}}};
  const auto left =
      std::clamp<Clock::duration>(kill_at_ - std::min(kill_at_, Clock::now()), Clock::duration{0}, kForever);
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (poll(watched.data(), watched.size(), static_cast<int>(milliseconds)) <= 0) {
    return;
  }
  if (((watched[0].revents | watched[1].revents) & (POLLHUP | POLLRDHUP | POLLERR)) != 0) {
    hang_up();
  }
  if (watched[2].revents != 0 && !relay_.take(captured_.number(), kAtOnce, Clock::now())) {
    captured_.close();
  }
  if (watched[3].revents != 0) {
    take_signals();
  }
}

void Supervisor::hang_up() {
  channel_ = {};  // or poll would report it again and again
  kill_at_ = std::min(kill_at_, Clock::now() + kGrace);
}

void Supervisor::take_signals() {
  signalfd_siginfo signal{};
  while (read(signals_.number(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGCHLD) {
      kill_tree();
    }
  }
}

void Supervisor::kill_tree() const {
  kill(sandboxed_.child, SIGKILL);  // an init takes its whole namespace along
  executor::kill_descendants(getpid());
}

void Supervisor::reap() {
  int how = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &how, WNOHANG)) > 0;) {
    if (ended != sandboxed_.child || WIFSTOPPED(how)) {  // stopped for a tracer, where seccomp is off
      continue;
    }
    ended_ = true;
    if (!sandboxed_.own_init) {
      status_ = how;
    } else if (int told = 0; read(sandboxed_.status.number(), &told, sizeof told) == sizeof told) {
      status_ = told;
    }
  }
}

}  // namespace parityd::launcher
