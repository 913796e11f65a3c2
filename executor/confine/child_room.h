// The room of a fresh child: more than one layer of separation from the fork parent, from which the next child is
// forked as well (docs/sandbox.md). The launcher tries it and reports what this machine grants; the fork parent builds
// it. One thread.
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

/// Placeholder for the number of a child's parent in its system call filter; no process has this number (pid_max is
/// less).
inline constexpr pid_t kParentsPlace = 0x5A5A5A5A;

/// A folder in memory that is new for each child.
struct MemoryFolder {
  std::filesystem::path path;
  std::string options;  // tmpfs(5)
};

struct ChildRoom {
  bool hidden = false;               // only root may read the parent's memory and its files in /proc (PR_SET_DUMPABLE)
  bool processes = false;            // own process, mount and IPC namespaces, with an own /proc; needs CAP_SYS_ADMIN
  bool user = false;                 // own user namespace
  std::optional<PathRules> paths;    // Landlock, entered by the child: it cannot trace processes outside its domain
  std::vector<std::uint8_t> filter;  // a seccomp(2) program in the kernel's format; empty: none
  std::filesystem::path jobs;        // each child has a folder in it, named by its number, and sees no other
  std::vector<MemoryFolder> memory;
};

/// Encodes as one line of JSON for the environment of a fork parent, and decodes it. Throws nlohmann::json::exception.
[[nodiscard]] std::string encode(const ChildRoom& room);
[[nodiscard]] ChildRoom decode_room(std::string_view text);

/// The parts that can be refused separately.
enum class RoomPart { processes, user, landlock, seccomp };

struct RoomRefusal {
  RoomPart part;
  std::string why;
};

/// The parent's side. Once constructed, allocates nothing and leaves nothing behind in this process.
class ChildForks {
 public:
  /// Throws std::system_error.
  explicit ChildForks(const ChildRoom& room);

  /// Like fork(2); the child is the first process of its own process namespace if the room has one. -1 and errno on
  /// failure.
  [[nodiscard]] pid_t fork_child() const;

 private:
  executor::Descriptor own_processes_;  // the namespace of this process
};

/// To be called in the child before any code of a program is there; cannot be undone. Returns what was refused, if
/// anything: then the child must not run a program.
[[nodiscard]] std::optional<RoomRefusal> enter(const ChildRoom& room, std::int64_t number);

}  // namespace parityd::confine
