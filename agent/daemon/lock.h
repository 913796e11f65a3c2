// The daemon's lock: one daemon a state directory; it names its holder. Move-only; released by the kernel at death.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace parityd::agent {

struct LockHolder {
  int pid = 0;
  std::string since;  // ISO 8601, UTC
};

class DaemonLock {
 public:
  /// Tried for as long as `patience`: a command that writes for itself holds the lock for a moment. The error names
  /// the holder and the way out.
  [[nodiscard]] static tl::expected<DaemonLock, std::string> take(
      const std::filesystem::path& state_directory, std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  /// Who holds it now; nullopt when nobody does (a file left by a killed daemon does not count).
  [[nodiscard]] static std::optional<LockHolder> holder(const std::filesystem::path& state_directory);

  DaemonLock(DaemonLock&& other) noexcept;
  DaemonLock& operator=(DaemonLock&&) = delete;
  ~DaemonLock();

 private:
  explicit DaemonLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace parityd::agent
