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

#include "executor/process/process_record.h"

namespace parityd::agent {
namespace {

std::filesystem::path lock_file(const std::filesystem::path& state_directory) {
  return state_directory / "daemon.lock";
}

/// An open file description lock on the whole file: unlike flock's, it can be queried without being taken, so a command
/// that only looks never blocks a daemon that starts.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

LockHolder ourselves(DaemonLock::Use use) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.pid = getpid(),
          .since = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
          .host = host_name(),
          .start = executor::start_stamp(getpid()).value_or(0),
          .daemon = use == DaemonLock::Use::daemon};
}

LockHolder read_holder(int descriptor) {
  std::array<char, 1024> buffer{};
  const ssize_t size = pread(descriptor, buffer.data(), buffer.size(), 0);
  const auto json = nlohmann::json::parse(
      std::string_view(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0), nullptr, false);
  if (!json.is_object()) return {};
  try {
    return {.pid = json.value("pid", 0),
            .since = json.value("since", ""),
            .host = json.value("host", ""),
            .start = json.value("start", std::uint64_t{0}),
            .daemon = json.value("daemon", false)};
  } catch (const nlohmann::json::exception&) {  // not a file of ours
    return {};
  }
}

bool write_holder(int descriptor, const LockHolder& holder) {
  const std::string text = nlohmann::json{{"pid", holder.pid},
                                          {"since", holder.since},
                                          {"host", holder.host},
                                          {"start", holder.start},
                                          {"daemon", holder.daemon}}
                               .dump() +
                           "\n";
  return ftruncate(descriptor, 0) == 0 &&
         pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

/// Whether the holder is a live daemon, whose end is not worth waiting for. On another host this cannot be checked and
/// is assumed.
bool stays(const LockHolder& holder) {
  return holder.daemon && (holder.host != host_name() || executor::start_stamp(holder.pid) == holder.start);
}

/// 0, or the errno with which locking failed.
int lock_within(int descriptor, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const struct flock exclusive = whole_file();
  while (fcntl(descriptor, F_OFD_SETLK, &exclusive) != 0) {
    const int why = errno;
    const bool held = why == EAGAIN || why == EACCES;
    if (!held || stays(read_holder(descriptor)) || std::chrono::steady_clock::now() >= until) return why;
    poll(nullptr, 0, 10);
  }
  return 0;
}

}  // namespace

std::string described(const LockHolder& holder) {
  return holder.pid == 0 ? "pid not known yet"
                         : fmt::format("pid {} on {}, since {}", holder.pid, holder.host, holder.since);
}

tl::expected<DaemonLock, std::string> DaemonLock::acquire(const std::filesystem::path& state_directory,
                                                          std::chrono::milliseconds patience, Use use) {
  std::filesystem::create_directories(state_directory);
  const auto file = lock_file(state_directory);
  executor::Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor.open()) {
    return tl::unexpected(fmt::format("{}: cannot be opened: {}; choose another folder with --state", file.string(),
                                      std::strerror(errno)));
  }
  const int why = lock_within(descriptor.number(), patience);
  if (why == EAGAIN || why == EACCES) {
    return tl::unexpected(
        fmt::format("{}: another parityd is running here ({}); stop it with `parityd stop`, or choose another folder "
                    "with --state DIR",
                    state_directory.string(), described(read_holder(descriptor.number()))));
  }
  if (why != 0) {
    return tl::unexpected(fmt::format("{}: cannot be locked: {}; choose a folder on another file system with --state",
                                      file.string(), std::strerror(why)));
  }
  DaemonLock lock(std::move(descriptor), use);
  if (const LockHolder before = read_holder(lock.descriptor_.number()); before.daemon) lock.killed_before_ = before;
  if (!write_holder(lock.descriptor_.number(), ourselves(use))) {
    return tl::unexpected(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  }
  return lock;
}

std::optional<LockHolder> DaemonLock::holder(const std::filesystem::path& state_directory) {
  const executor::Descriptor descriptor(open(lock_file(state_directory).c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.open()) return std::nullopt;
  struct flock asked = whole_file();
  if (fcntl(descriptor.number(), F_OFD_GETLK, &asked) == 0 && asked.l_type == F_UNLCK) return std::nullopt;
  return read_holder(descriptor.number());
}

DaemonLock::~DaemonLock() {
  if (!descriptor_.open()) return;
  if (use_ == Use::command && killed_before_) {
    write_holder(descriptor_.number(), *killed_before_);  // left for the next daemon
  } else {
    (void)!ftruncate(descriptor_.number(), 0);
  }
}

}  // namespace parityd::agent
