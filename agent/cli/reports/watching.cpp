#include "agent/cli/reports/watching.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <ostream>
#include <sstream>
#include <system_error>

#include "executor/confine/descriptor.h"

namespace parityd::agent {
namespace {

/// Receives the signals that end a watch or change its screen from a descriptor, during its lifetime.
class WatchedSignals {
 public:
  WatchedSignals() {
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
  ~WatchedSignals() {
    std::signal(SIGPIPE, pipe_before_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;

  /// Waits; false: one of the signals asks to end. Returns early if the size changes.
  [[nodiscard]] bool wait(std::chrono::milliseconds most) const {
    pollfd waiting{.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
    (void)poll(&waiting, 1, static_cast<int>(most.count()));
    signalfd_siginfo came{};
    while (::read(descriptor_.number(), &came, sizeof came) == static_cast<ssize_t>(sizeof came)) {
      if (came.ssi_signo != SIGWINCH) return false;
    }
    return true;
  }

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
  executor::Descriptor descriptor_;
};

/// Switches to the terminal's alternate screen, without a cursor and with long lines cut, during its lifetime.
class SecondScreen {
 public:
  explicit SecondScreen(std::ostream& out) : out_(out) { out_ << "\x1b[?1049h\x1b[?25l\x1b[?7l" << std::flush; }
  ~SecondScreen() { out_ << "\x1b[?7h\x1b[?25h\x1b[?1049l" << std::flush; }
  SecondScreen(const SecondScreen&) = delete;
  SecondScreen& operator=(const SecondScreen&) = delete;

 private:
  std::ostream& out_;
};

}  // namespace

std::string redrawn(const std::string& page, const Screen& screen) {
  std::istringstream lines(page);
  std::string result = "\x1b[H";
  std::size_t shown = 0;
  for (std::string line; shown < screen.rows && std::getline(lines, line); ++shown) {
    result += (shown > 0 ? "\n" : "") + line + "\x1b[K";
  }
  return result + "\x1b[J";
}

void watch(const Watched& watched, std::ostream& out, Screen screen, std::chrono::milliseconds every) {
  const WatchedSignals signals;
  if (!screen.terminal) {
    do {
      out << watched.line() << std::flush;
    } while (out && signals.wait(every));
    return;
  }
  std::string page;
  {
    const SecondScreen second(out);
    do {
      screen = standard_screen();
      page = watched.page(screen);
      out << redrawn(page, screen) << std::flush;
    } while (out && signals.wait(every));
  }
  out << page << std::flush;
}

}  // namespace parityd::agent
