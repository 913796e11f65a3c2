#include "agent/daemon/loop/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace parityd::agent {
namespace {

constexpr unsigned kDrainSeconds = 10;  // supervisors wait longer
constexpr unsigned kEndSeconds = 1;
constexpr int kShellsOffset = 128;  // added by shells to the number of the signal that ended a process

constexpr std::array kHandled{SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGPIPE, SIGXFSZ};

// A handler can only use globals. It may run on any thread, including a library's.
std::atomic<int> stops_so_far{0};
std::atomic<int> last_stop{0};
std::atomic<bool> hangup{false};
std::atomic<int> wake_up{-1};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void wake() {
  const std::uint64_t one = 1;
  (void)!write(wake_up, &one, sizeof one);
}

/// Ends the process by the signal's default action; as pid 1, for which there is none, with a shell's exit status for
/// the signal.
[[noreturn]] void end_by(int signal) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(signal);
  _exit(kShellsOffset + signal);
}

void on_stop(int signal) {
  const int error = errno;
  last_stop = signal;
  const int stops = ++stops_so_far;
  if (stops > 2) end_by(signal);
  alarm(stops == 1 ? kDrainSeconds : kEndSeconds);
  wake();
  errno = error;
}

/// The time is up. The next start completes unfinished work, as after a kill.
void on_alarm(int) {
  if (stops_so_far <= 1) {
    _exit(0);  // a requested end; nothing is lost
  }
  end_by(last_stop);
}

void on_hangup(int) {
  const int error = errno;
  hangup = true;
  wake();
  errno = error;
}

}  // namespace

Signals::Signals() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.open()) throw std::system_error(errno, std::generic_category(), "eventfd");
  stops_so_far = 0;
  hangup = false;
  wake_up = wake_.number();
  for (const int signal : {SIGTERM, SIGINT}) {
    handle(signal, on_stop);
  }
  handle(SIGHUP, on_hangup);
  handle(SIGALRM, on_alarm);
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    handle(signal, SIG_IGN);
  }
  sigset_t handled;
  sigemptyset(&handled);
  for (const int signal : kHandled) sigaddset(&handled, signal);
  pthread_sigmask(SIG_UNBLOCK, &handled, &mask_before_);
}

Signals::~Signals() {
  alarm(0);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  for (const auto& before : before_) sigaction(before.signal, &before.action, nullptr);
  wake_up = -1;
}

void Signals::handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int other : kHandled) {
    sigaddset(&action.sa_mask, other);  // one handler at a time
  }
  Before before{.signal = signal};
  if (sigaction(signal, &action, &before.action) != 0) {
    throw std::system_error(errno, std::generic_category(), "sigaction");
  }
  before_.push_back(before);
}

int Signals::stops() const { return stops_so_far; }

bool Signals::take_hangup() const {
  std::uint64_t count = 0;
  (void)!read(wake_.number(), &count, sizeof count);
  return hangup.exchange(false);
}

}  // namespace parityd::agent
