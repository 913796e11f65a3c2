// What a process may do beyond any program: user namespaces and capabilities. Any thread; holds for the calling
// process.
#pragma once

#include <sys/mount.h>
#include <sys/types.h>

#include <cerrno>
#include <optional>
#include <string>

namespace parityd::confine {

/// A user namespace of this process's own in which it stays who it is: the kernel counts processes a namespace.
/// Empty, or why it cannot be had.
[[nodiscard]] std::string enter_user_namespace();

/// Maps a user and a group to themselves in the user namespace this process has just entered. 0 or an errno.
[[nodiscard]] int map_identity(uid_t user, gid_t group);

/// Gives all capabilities up, for good; but for `kept` (linux/capability.h), which what it executes has as well.
/// Empty, or why not.
[[nodiscard]] std::string drop_capabilities(std::optional<int> kept = std::nullopt);

// The /proc of the process namespace that the caller is in.

/// Mounts it over what /proc shows now; in a mount namespace of the caller's own. 0 or an errno.
[[nodiscard]] inline int mount_own_proc() {
  return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0 : errno;
}

}  // namespace parityd::confine
