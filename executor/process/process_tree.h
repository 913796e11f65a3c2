// Processes as /proc shows them: what one is, and those below one. For killing a tree whose members left their process
// group. Thread-safe; a process may come or go while it is being looked at.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace parityd::executor {

// What the kernel says of a process in /proc/PID/stat, which may go away while it is read.

class ProcessStat {
 public:
  /// Nothing where there is no such process (any more).
  [[nodiscard]] static std::optional<ProcessStat> of(pid_t pid);
  /// The same of an open /proc/PID/stat: its process may have ended since, and reading then fails with ESRCH.
  [[nodiscard]] static std::optional<ProcessStat> read(std::istream& stat);

  /// It has ended, whether or not it was waited for: a zombie, or dead.
  [[nodiscard]] bool ended() const;
  /// By the numbers of proc_pid_stat(5), from 4 (ppid) on; 0 for one that the kernel does not tell.
  [[nodiscard]] std::uint64_t number(std::size_t field) const;

 private:
  std::vector<std::string> fields_;  // from the third on
};

/// Children, their children and so on, not `root` itself. Empty where /proc does not tell.
[[nodiscard]] std::vector<pid_t> descendants(pid_t root);

/// The same less those that are over: zombies, and processes killed that have not gone yet (proc(5), stat).
[[nodiscard]] std::vector<pid_t> living_descendants(pid_t root);

/// SIGKILL to every descendant of `root`, again until no new one appears (a process may fork while its turn has not
/// come). `root` itself is left alone: as a subreaper it adopts, and so shows, what its children leave behind.
void kill_descendants(pid_t root);

/// The same, but for those in `spared`, which were there before: their new descendants go.
void kill_descendants_but(pid_t root, const std::vector<pid_t>& spared);

// Whom the kernel ends first when memory runs out (proc(5), oom_score_adj).

/// That process and what it starts from now on, not the daemon: shared memory is limited by nothing else. Raising needs
/// no privilege; where it fails all the same the process is as before. Thread-safe.
void go_first_when_memory_ends(pid_t pid);

}  // namespace parityd::executor
