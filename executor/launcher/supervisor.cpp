#include "executor/launcher/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "executor/process/process_tree.h"

namespace parityd::launcher {
namespace {

using Clock = OutputRelay::Clock;
constexpr auto kGrace = std::chrono::milliseconds(300);  // for a program that ends on its own when its channel closes
constexpr auto kForever = std::chrono::hours(1);
constexpr std::size_t kAtOnce = std::size_t{1} << 20;

constexpr std::size_t kPiece = 4096;  // a pipe that polls writable takes this much without blocking

}  // namespace

Supervisor::Supervisor(Sandboxed sandboxed, Channel channel, Descriptor captured, Descriptor signals)
    : sandboxed_(std::move(sandboxed)),
      channel_(std::move(channel)),
      captured_(std::move(captured)),
      signals_(std::move(signals)),
      relay_(STDERR_FILENO),
      status_(SIGKILL) {  // the result if our init was killed before it could report
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
  while (wait(nullptr) > 0 || errno == EINTR) executor::kill_descendants(getpid());
  relay_.read_from(captured_.number(), kAtOnce, Clock::now());  // a pipe holds less than that
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
  if (poll(watched.data(), watched.size(), static_cast<int>(milliseconds)) <= 0) return;
  if (((watched[0].revents | watched[1].revents) & (POLLHUP | POLLRDHUP | POLLERR)) != 0) hang_up();
  if (watched[2].revents != 0 && !relay_.read_from(captured_.number(), kAtOnce, Clock::now())) captured_.close();
  if (watched[3].revents != 0) take_signals();
}

void Supervisor::hang_up() {
  channel_ = {};  // or poll would report it again and again
  kill_at_ = std::min(kill_at_, Clock::now() + kGrace);
}

void Supervisor::take_signals() {
  signalfd_siginfo signal{};
  while (read(signals_.number(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGCHLD) kill_tree();
  }
}

void Supervisor::kill_tree() const {
  kill(sandboxed_.child, SIGKILL);  // the init takes its whole namespace with it
  executor::kill_descendants(getpid());
}

void Supervisor::reap() {
  int how = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &how, WNOHANG)) > 0;) {
    if (ended != sandboxed_.child || WIFSTOPPED(how)) {  // stopped for a tracer, when seccomp is off
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

bool OutputRelay::read_from(int source, std::size_t most, Clock::time_point now) {
  std::array<char, std::size_t{16} << 10> buffer;
  for (std::size_t taken = 0; taken < most;) {
    const ssize_t count = read(source, buffer.data(), buffer.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    taken += static_cast<std::size_t>(count);
    pass({buffer.data(), static_cast<std::size_t>(count)}, now);
  }
  return true;
}

void OutputRelay::pass(std::string_view bytes, Clock::time_point now) {
  if (now - window_ >= std::chrono::seconds(1)) {
    window_ = now;
    allowed_ = kPerSecond;
  }
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, std::min(kPiece, allowed_));
    if (!piece.empty() && dropped_ > 0) say_dropped();
    if (piece.empty() || !send(piece)) {
      drop(bytes);
      return;
    }
    allowed_ -= piece.size();
    bytes.remove_prefix(piece.size());
  }
}

void OutputRelay::drop(std::string_view bytes) {
  dropped_ += bytes.size();
  last_words_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kLastWords)));
  last_words_.erase(0, last_words_.size() - std::min(last_words_.size(), kLastWords));
}

void OutputRelay::say_dropped() {
  if (send("\n[parityd-worker: " + std::to_string(dropped_) + " bytes of output dropped]\n")) {
    dropped_ = 0;
    last_words_.clear();
  }
}

void OutputRelay::finish() {
  if (dropped_ == 0) return;
  const std::string last = last_words_;
  say_dropped();
  send("[end of the output:]\n" + last);
}

bool OutputRelay::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    pollfd target{.fd = target_, .events = POLLOUT, .revents = 0};
    if (poll(&target, 1, 0) <= 0 || (target.revents & POLLOUT) == 0) return false;
    const ssize_t written = write(target_, bytes.data(), std::min(bytes.size(), kPiece));
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace parityd::launcher
