// Checks whether the database is sound: SQLite's own checks, on a separate connection so that nothing waits for them.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

namespace parityd::store {

enum class CheckDepth {
  quick,  // quick_check: the structure of every page, the types and NOT NULLs of every row
  whole,  // integrity_check: also each index against its table
};

/// What is wrong, in one sentence; empty if nothing is. nullopt if `stop` was set before the result was known, or if
/// the file could not be read at that moment, which is not damage. Reads only. Any thread.
[[nodiscard]] std::optional<std::string> what_is_damaged(const std::filesystem::path& file, CheckDepth depth,
                                                         const std::atomic<bool>& stop);

/// The same on its own thread: the daemon works while it runs. One owner.
class BackgroundCheck {
 public:
  BackgroundCheck(std::filesystem::path file, CheckDepth depth);
  /// Stops the check and waits for its end: some milliseconds.
  ~BackgroundCheck();
  BackgroundCheck(const BackgroundCheck&) = delete;
  BackgroundCheck& operator=(const BackgroundCheck&) = delete;

  void wait() { ended_.wait(false); }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Only after it has ended: as what_is_damaged().
  [[nodiscard]] const std::optional<std::string>& damage() const { return damage_; }
  [[nodiscard]] CheckDepth depth() const { return depth_; }

 private:
  CheckDepth depth_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  std::optional<std::string> damage_;  // written before ended_, read after it
  std::thread thread_;
};

}  // namespace parityd::store
