#include "agent/daemon/lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
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

tl::expected<DaemonLock, std::string> DaemonLock::take(const std::filesystem::path& state_directory) {
  std::filesystem::create_directories(state_directory);
  const auto file = lock_file(state_directory);
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return tl::unexpected(
        fmt::format("{}: cannot open: {}; choose another folder with --state", file.string(), std::strerror(errno)));
  }
  DaemonLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
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
  if (flock(descriptor, LOCK_SH | LOCK_NB) == 0) {
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
