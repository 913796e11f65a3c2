// Processes as /proc shows them: one process, and those below it. For killing a tree whose members left their process
// group. Thread-safe; a process may start or end while it is looked at.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace parityd::executor {

// The contents of /proc/PID/stat, a file that may disappear while it is read.

class ProcessStat {
 public:
  /// nullopt if there is no such process (any more).
  [[nodiscard]] static std::optional<ProcessStat> of(pid_t pid);
  /// The same from an open /proc/PID/stat: if its process has ended since, reading fails with ESRCH.
  [[nodiscard]] static std::optional<ProcessStat> read(std::istream& stat);

  /// Whether it has ended, waited for or not: a zombie, or dead.
  [[nodiscard]] bool ended() const;
  /// By the field numbers of proc_pid_stat(5), from 4 (ppid) on; 0 for one that the kernel does not report.
  [[nodiscard]] std::uint64_t number(std::size_t field) const;

 private:
  std::vector<std::string> fields_;  // from the third field on
};

/// Children, their children and so on, without `root` itself. Empty if /proc does not show them.
[[nodiscard]] std::vector<pid_t> descendants(pid_t root);

/// The same without those that are over: zombies, and killed processes that have not ended yet (proc(5), stat).
[[nodiscard]] std::vector<pid_t> living_descendants(pid_t root);

/// Sends SIGKILL to every descendant of `root`, repeatedly until no new one appears (a process may fork before its turn
/// comes). `root` itself is left alone: as a subreaper it adopts the orphans of its children, so that they stay
/// visible.
void kill_descendants(pid_t root);

/// The same, except for those in `spared`, which existed before: their new descendants are killed.
void kill_descendants_but(pid_t root, const std::vector<pid_t>& spared);

// Which processes the kernel kills first when memory runs out (proc(5), oom_score_adj).

/// Makes that process and what it starts from now on the first to be killed, not the daemon: nothing else limits shared
/// memory. Raising the score needs no privilege; if it fails nevertheless, the process stays as it was. Thread-safe.
void go_first_when_memory_ends(pid_t pid);

}  // namespace parityd::executor
