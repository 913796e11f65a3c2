// A folder for files that exist only while programs are run. One thread.
#pragma once

#include <filesystem>
#include <thread>

namespace parityd::agent {

/// Empty when created, except for `left`, and removed at the end. A killed daemon leaves tens of thousands of compiler
/// cache files, which take seconds to remove: they are moved to `left` at once and removed from there by a separate
/// thread.
class ScratchFolder {
 public:
  /// Throws std::filesystem::filesystem_error if the folder cannot be created.
  explicit ScratchFolder(std::filesystem::path folder);
  /// Waits until `left` is removed.
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::jthread remover_;
};

}  // namespace parityd::agent
