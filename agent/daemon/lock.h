// The daemon's lock: one daemon per state directory; the file names its holder. Move-only. The kernel releases it when
// the process dies, so a file left by a killed daemon blocks nobody, even if its pid has been reused.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "executor/confine/descriptor.h"

namespace parityd::agent {

struct LockHolder {
  int pid = 0;              // 0: not written yet
  std::string since;        // ISO 8601, UTC
  std::string host;         // the host on which pid is valid
  std::uint64_t start = 0;  // executor::start_stamp of pid
  bool daemon = false;      // else a command that briefly writes by itself
};

/// "pid 7 on host, since 2026-03-04T05:06:07Z"
[[nodiscard]] std::string described(const LockHolder& holder);

class DaemonLock {
 public:
  enum class Use { daemon, command };

  /// Takes the lock. While a command holds it, retries for up to `patience`: commands finish quickly. The error names
  /// the holder and the way out.
  [[nodiscard]] static tl::expected<DaemonLock, std::string> acquire(
      const std::filesystem::path& state_directory, std::chrono::milliseconds patience = std::chrono::milliseconds(0),
      Use use = Use::command);
  /// The current holder; nullopt if there is none.
  [[nodiscard]] static std::optional<LockHolder> holder(const std::filesystem::path& state_directory);

  /// The daemon that held it last, if it was killed; a daemon that ended on its own, however badly, leaves no name.
  [[nodiscard]] const std::optional<LockHolder>& killed_before() const { return killed_before_; }

  DaemonLock(DaemonLock&&) noexcept = default;
  DaemonLock& operator=(DaemonLock&&) = delete;
  ~DaemonLock();

 private:
  DaemonLock(executor::Descriptor descriptor, Use use) : descriptor_(std::move(descriptor)), use_(use) {}
  executor::Descriptor descriptor_;
  Use use_;
  std::optional<LockHolder> killed_before_;
};

}  // namespace parityd::agent
