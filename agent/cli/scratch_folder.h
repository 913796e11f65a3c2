// A folder for what lives no longer than those who run programs. One thread.
#pragma once

#include <filesystem>
#include <thread>

namespace parityd::agent {

/// Empty when taken, but for `left`, and removed when done. A killed daemon leaves tens of thousands of files of
/// compiler caches, seconds of work to remove: they go to `left` at once, and from there on a thread of its own.
class ScratchFolder {
 public:
  /// Throws std::filesystem::filesystem_error where no folder can be made.
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
