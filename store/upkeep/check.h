// Is the database sound? SQLite's own checks, on a connection of their own so that nobody waits for them.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

namespace parityd::store {

enum class CheckDepth {
  quick,  // quick_check: the structure of every page, the types and NOT NULLs of every row
  whole,  // integrity_check: that, and each index against its table
};

/// What is wrong, in one sentence; empty: nothing. nullopt: `stop` was set before it was known, or the file could not
/// be read at this moment, which is not damage. Reads only. Any thread.
[[nodiscard]] std::optional<std::string> what_is_damaged(const std::filesystem::path& file, CheckDepth depth,
                                                         const std::atomic<bool>& stop);

/// The same on a thread of its own: the daemon is ready while it runs. One owner.
class BackgroundCheck {
 public:
  BackgroundCheck(std::filesystem::path file, CheckDepth depth);
  /// Stops it, and waits until it has: some milliseconds.
  ~BackgroundCheck();
  BackgroundCheck(const BackgroundCheck&) = delete;
  BackgroundCheck& operator=(const BackgroundCheck&) = delete;

  void wait() { ended_.wait(false); }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Once it has ended: as what_is_damaged().
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
