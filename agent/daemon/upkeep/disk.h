// The room and the rights of the folder that everything is written to. Below a floor of free space no model is asked: a
// reply that cannot be stored is money lost. Pure but for the probe, which is an argument. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "executor/process/interest.h"

namespace parityd::agent {

inline constexpr std::int64_t kMebibyte = 1 << 20;  // what the configuration counts in

struct DiskState {
  std::int64_t free_bytes = std::numeric_limits<std::int64_t>::max();  // for us
  std::string unwritable;                                              // why nothing can be written; empty: it can
};
using DiskProbe = std::function<DiskState(const std::filesystem::path& folder)>;

/// What the system says of the file system and of our rights to the folder.
[[nodiscard]] DiskState probe_disk(const std::filesystem::path& folder);

/// "12.3 GiB"
[[nodiscard]] std::string in_bytes(std::int64_t bytes);

class Disk {
 public:
  enum class Level {
    enough,
    low,  // nothing is spent any more; what is there goes on
    out,  // nothing is begun any more; what is in flight still has the last quarter of the floor to be stored in
  };

  /// `floor` in bytes; 0: free space is not looked at.
  Disk(std::filesystem::path folder, std::int64_t floor, DiskProbe probe);

  /// Asks the probe, once every few seconds. True: the level, or why, is another one than before.
  bool look(executor::TimePoint now);
  [[nodiscard]] Level level() const { return level_; }
  /// Not for want of space.
  [[nodiscard]] bool read_only() const { return read_only_; }
  /// What is wrong, where, and the way out; empty: nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  [[nodiscard]] Level level_of(const DiskState& state) const;
  [[nodiscard]] std::string problem_of(const DiskState& state) const;

  std::filesystem::path folder_;
  std::int64_t floor_;
  DiskProbe probe_;
  executor::TimePoint next_{};
  Level level_ = Level::enough;
  bool read_only_ = false;
  std::string problem_;
};

}  // namespace parityd::agent
