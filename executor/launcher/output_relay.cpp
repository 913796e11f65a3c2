#include "executor/launcher/output_relay.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace parityd::launcher {
namespace {

constexpr std::size_t kPiece = 4096;  // a pipe that polls writable takes so much without blocking

}  // namespace

bool OutputRelay::take(int source, std::size_t most, Clock::time_point now) {
  std::array<char, std::size_t{16} << 10> buffer;
  for (std::size_t taken = 0; taken < most;) {
    const ssize_t count = read(source, buffer.data(), buffer.size());
    if (count == 0) {
      return false;
    }
    if (count < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
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
    if (!piece.empty() && dropped_ > 0) {
      say_dropped();
    }
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
  if (dropped_ == 0) {
    return;
  }
  const std::string last = last_words_;
  say_dropped();
  send("[last of it:]\n" + last);
}

bool OutputRelay::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    pollfd target{.fd = target_, .events = POLLOUT, .revents = 0};
    if (poll(&target, 1, 0) <= 0 || (target.revents & POLLOUT) == 0) {
      return false;
    }
    const ssize_t written = write(target_, bytes.data(), std::min(bytes.size(), kPiece));
    if (written < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace parityd::launcher
