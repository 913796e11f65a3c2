// Which processes a daemon started, kept in files, so that the next one finds what a killed one left running: by number
// and start, never by name. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace parityd::executor {

/// When a process began, in clock ticks since boot: with its number it names a process, whoever gets the number later.
/// nullopt where there is none, or only its remains that nobody has reaped. Any thread.
[[nodiscard]] std::optional<std::uint64_t> start_stamp(pid_t pid);

/// A file that names a process, the leader of a process group, for as long as this lives. Where it cannot be written
/// the process is as good without it: only the next daemon will not find it.
class ProcessRecord {
 public:
  /// An empty folder: no record. Made where it is missing.
  ProcessRecord(const std::filesystem::path& folder, pid_t pid);
  ~ProcessRecord();
  ProcessRecord(const ProcessRecord&) = delete;
  ProcessRecord& operator=(const ProcessRecord&) = delete;

 private:
  std::filesystem::path file_;
};

/// Kills the recorded processes that still run, each with its descendants and its process group, waits until they are
/// gone (at most five seconds) and empties the folder. Only for who holds the daemon's lock. Returns their numbers.
std::vector<pid_t> kill_leftovers(const std::filesystem::path& folder);

}  // namespace parityd::executor
