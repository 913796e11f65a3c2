#include "channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <system_error>

namespace parityd::worker {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void close_on_exec(int descriptor) {
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) fail("protocol descriptor");
}

/// Waits if the other end made the pipe non-blocking.
void wait_for(int descriptor, short events) {
  pollfd ready{.fd = descriptor, .events = events, .revents = 0};
  if (poll(&ready, 1, -1) < 0 && errno != EINTR) fail("poll");
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Channel::Channel(int input, int output) : input_(input), output_(output), owner_(getpid()) {
  close_on_exec(input_);
  close_on_exec(output_);
}

Channel::~Channel() {
  stop_beats();
  close(input_);
  close(output_);
}

std::optional<std::string> Channel::read_line() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    searched = pending_.size();
    if (searched >= kLongestLine) throw std::length_error("a protocol line is too long");
    std::array<char, 65536> buffer{};
    const ssize_t count = read(input_, buffer.data(), buffer.size());
    if (count > 0) {
      pending_.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return std::nullopt;
    } else if (errno == EAGAIN) {
      wait_for(input_, POLLIN);
    } else if (errno != EINTR) {
      fail("read");
    }
  }
}

void Channel::write(std::string_view line) {
  ++lines_written_;
  write_whole(line);
}

void Channel::write_whole(std::string_view text) {
  if (getpid() != owner_) _exit(1);
  std::string whole(text);
  whole.push_back('\n');
  if (whole.size() > kLongestLine) throw std::length_error("a protocol line is too long");
  const std::scoped_lock lock(writing_);
  if (const int failed = write_all(output_, whole); failed != 0) {
    errno = failed;
    fail("write");
  }
}

void Channel::start_beats(double seconds) {
  stop_beats();
  const auto period = std::chrono::duration<double>(seconds);
  beats_ = std::jthread([this, period](const std::stop_token& stop) {
    // Signals belong to the thread that runs programs.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(beating_);
    while (!beat_stopped_.wait_for(lock, stop, period, [&stop] { return stop.stop_requested(); })) {
      try {
        write_whole(R"({"type":"beat"})");
      } catch (const std::system_error&) {
        return;  // the daemon is gone; the reading thread will notice it, too
      }
    }
  });
}

void Channel::stop_beats() {
  if (!beats_.joinable()) return;
  beats_.request_stop();
  beats_.join();
}

void Channel::after_fork() {
  owner_ = getpid();
  pending_.clear();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace parityd::worker
