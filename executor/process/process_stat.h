// What the kernel says of a process in /proc/PID/stat, which may go away while it is read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace parityd::executor {

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

}  // namespace parityd::executor
