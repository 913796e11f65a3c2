// What stands between a fresh child and the fork parent it comes from, which the next child comes from as well: by more
// than one layer (docs/sandbox.md). The launcher tries it and says what this machine grants; the fork parent builds it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executor/confine/descriptor.h"
#include "executor/confine/landlock.h"

namespace parityd::confine {

/// Stands for the number of a child's parent in the filter of its system calls; no process has it (pid_max is less).
inline constexpr pid_t kParentsPlace = 0x5A5A5A5A;

/// A folder in memory that each child gets anew.
struct MemoryFolder {
  std::filesystem::path path;
  std::string options;  // tmpfs(5)
};

struct ChildRoom {
  bool hidden = false;     // the parent's memory and its files in /proc are for root alone (PR_SET_DUMPABLE)
  bool processes = false;  // process, mount and IPC namespaces of its own, with its own /proc; needs CAP_SYS_ADMIN
  bool user = false;       // a user namespace of its own
  std::optional<PathRules> paths;    // Landlock, from the child on: what lies above it cannot be traced
  std::vector<std::uint8_t> filter;  // a program of seccomp(2) as the kernel takes it; empty: none
  std::filesystem::path jobs;        // each child has a folder in it, named by its number, and sees no other
  std::vector<MemoryFolder> memory;
};

/// One line of JSON, for the environment of a fork parent, and back. Throws nlohmann::json::exception.
[[nodiscard]] std::string encode(const ChildRoom& room);
[[nodiscard]] ChildRoom decode_room(std::string_view text);

/// What can be refused apart from the rest.
enum class RoomPart { processes, user, landlock, seccomp };

struct RoomRefusal {
  RoomPart part;
  std::string why;
};

/// The parent's side. Allocates nothing and leaves nothing behind in this process once it is made.
class ChildForks {
 public:
  /// Throws std::system_error.
  explicit ChildForks(const ChildRoom& room);

  /// As fork(2); the child is the first process of its own process namespace where the room has one. -1 and errno.
  [[nodiscard]] pid_t fork_child() const;

 private:
  executor::Descriptor own_processes_;  // the namespace that this process is in
};

/// In the child, before anything of a program is there: for good. What was refused, if anything; then the child must
/// run no program.
[[nodiscard]] std::optional<RoomRefusal> enter(const ChildRoom& room, std::int64_t number);

}  // namespace parityd::confine
