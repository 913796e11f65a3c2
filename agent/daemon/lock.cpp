#include "agent/daemon/lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace parityd::agent {
namespace {

std::filesystem::path lock_file(const std::filesystem::path& state_directory) {
  return state_directory / "daemon.lock";
}

/// An open file description lock on the whole file: unlike flock's it can be asked for without being taken, so that a
/// command that only looks never stands in the way of a daemon that starts.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool locked(int descriptor, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const struct flock exclusive = whole_file();
  while (fcntl(descriptor, F_OFD_SETLK, &exclusive) != 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    poll(nullptr, 0, 10);
  }
  return true;
}

LockHolder read_holder(int descriptor) {
  std::array<char, 512> buffer{};
  const ssize_t size = pread(descriptor, buffer.data(), buffer.size(), 0);
  const auto json = nlohmann::json::parse(
      std::string_view(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0), nullptr, false);
  if (!json.is_object()) {
    return {};
  }
  return {.pid = json.value("pid", 0), .since = json.value("since", "")};
}

}  // namespace

tl::expected<DaemonLock, std::string> DaemonLock::take(const std::filesystem::path& state_directory,
                                                       std::chrono::milliseconds patience) {
  std::filesystem::create_directories(state_directory);
  const auto file = lock_file(state_directory);
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return tl::unexpected(
        fmt::format("{}: cannot open: {}; choose another folder with --state", file.string(), std::strerror(errno)));
  }
  DaemonLock lock(descriptor);
  if (!locked(descriptor, patience)) {
    const LockHolder holder = read_holder(descriptor);
    return tl::unexpected(fmt::format(
        "{}: another parityd (pid {}, since {}) runs here; `parityd stop` ends it, --state DIR chooses another folder",
        state_directory.string(), holder.pid, holder.since));
  }
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string text =
      nlohmann::json{
          {"pid", getpid()},
          {"since", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))}}
          .dump() +
      "\n";
  if (ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return tl::unexpected(fmt::format("{}: cannot write: {}", file.string(), std::strerror(errno)));
  }
  return lock;
}

std::optional<LockHolder> DaemonLock::holder(const std::filesystem::path& state_directory) {
  const int descriptor = open(lock_file(state_directory).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return std::nullopt;
  }
  const DaemonLock closes_at_end(descriptor);
  struct flock asked = whole_file();
  if (fcntl(descriptor, F_OFD_GETLK, &asked) == 0 && asked.l_type == F_UNLCK) {
    return std::nullopt;
  }
  return read_holder(descriptor);
}

DaemonLock::DaemonLock(DaemonLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DaemonLock::~DaemonLock() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

}  // namespace parityd::agent
