// Records in files which processes a daemon started, so that after it was killed the next one finds those still
// running: by number and start time, never by name. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace parityd::executor {

/// When a process started, in clock ticks since boot: together with the number it identifies a process even after the
/// number is reused. nullopt if there is none, or only a zombie. Any thread.
[[nodiscard]] std::optional<std::uint64_t> start_stamp(pid_t pid);

/// A file that names a process (the leader of a process group) for the lifetime of this object. If it cannot be
/// written, nothing else is affected: only the next daemon will not find the process.
class ProcessRecord {
 public:
  /// Creates `folder` if it is missing; an empty path means no record.
  ProcessRecord(const std::filesystem::path& folder, pid_t pid);
  ~ProcessRecord();
  ProcessRecord(const ProcessRecord&) = delete;
  ProcessRecord& operator=(const ProcessRecord&) = delete;

 private:
  std::filesystem::path file_;
};

/// Ends the recorded processes that still run, each with its descendants and its process group, and empties the folder.
/// They first get SIGTERM and two seconds; those left are killed and waited for, at most five seconds. Only for the
/// holder of the daemon's lock. Returns the numbers of the processes ended.
std::vector<pid_t> kill_leftovers(const std::filesystem::path& folder);

}  // namespace parityd::executor
