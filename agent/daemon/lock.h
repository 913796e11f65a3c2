// The daemon's lock: one daemon a state directory; it names its holder. Move-only; released by the kernel at death, so
// that a file which a killed daemon left stands in nobody's way, whoever has its number by now.
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
  int pid = 0;              // 0: it has not said yet
  std::string since;        // ISO 8601, UTC
  std::string host;         // where pid is a number of
  std::uint64_t start = 0;  // executor::start_stamp of it
  bool daemon = false;      // else a command that writes for itself, for a moment
};

/// "pid 7 on host, since 2026-03-04T05:06:07Z"
[[nodiscard]] std::string described(const LockHolder& holder);

class DaemonLock {
 public:
  enum class Use { daemon, command };

  /// Tried for as long as `patience` while a command holds it: those are done in a moment. The error names the holder
  /// and the way out.
  [[nodiscard]] static tl::expected<DaemonLock, std::string> take(
      const std::filesystem::path& state_directory, std::chrono::milliseconds patience = std::chrono::milliseconds(0),
      Use use = Use::command);
  /// Who holds it now; nullopt when nobody does.
  [[nodiscard]] static std::optional<LockHolder> holder(const std::filesystem::path& state_directory);

  /// A daemon that held it before and was killed: what has ended by itself, however badly, left no name.
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
