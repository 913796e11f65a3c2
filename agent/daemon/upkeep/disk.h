// Free space and permissions of the state folder. Below a floor of free space no model is asked: a reply that cannot be
// stored is money lost. Pure except for the probe, which is passed in. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "executor/process/interest.h"

namespace parityd::agent {

inline constexpr std::int64_t kMebibyte = 1 << 20;  // unit used in the configuration

struct DiskState {
  std::int64_t free_bytes = std::numeric_limits<std::int64_t>::max();  // available to us
  std::string unwritable;                                              // why nothing can be written; empty: writable
};
using DiskProbe = std::function<DiskState(const std::filesystem::path& folder)>;

/// Queries the file system's free space and our permissions.
[[nodiscard]] DiskState probe_disk(const std::filesystem::path& folder);

/// "12.3 GiB"
[[nodiscard]] std::string in_bytes(std::int64_t bytes);

class Disk {
 public:
  enum class Level {
    enough,
    low,  // no more money is spent; other work continues
    out,  // nothing new starts; results of work in flight can still use the last quarter of the floor
  };

  /// `floor` in bytes; 0: free space is ignored.
  Disk(std::filesystem::path folder, std::int64_t floor, DiskProbe probe);

  /// Calls the probe, at most once every few seconds. True: the level or its reason has changed.
  bool look(executor::TimePoint now);
  [[nodiscard]] Level level() const { return level_; }
  /// For another reason than lack of space.
  [[nodiscard]] bool read_only() const { return read_only_; }
  /// What is wrong, where, and the remedy; empty: nothing.
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
