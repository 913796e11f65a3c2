// Privileges no program needs: user namespaces and capabilities. Any thread; holds for the calling process.
#pragma once

#include <sys/mount.h>
#include <sys/types.h>

#include <cerrno>
#include <optional>
#include <string>

namespace parityd::confine {

/// Enters a new user namespace with unchanged user and group: the kernel counts processes per namespace. Returns empty,
/// or the reason why this is not available.
[[nodiscard]] std::string enter_user_namespace();

/// Maps a user and a group to themselves in the user namespace that this process has just entered. Returns 0 or an
/// errno.
[[nodiscard]] int map_identity(uid_t user, gid_t group);

/// Drops all capabilities permanently, except `kept` (linux/capability.h), which programs it executes inherit. Returns
/// empty, or the reason for the failure.
[[nodiscard]] std::string drop_capabilities(std::optional<int> kept = std::nullopt);

// The /proc of the caller's process namespace.

/// Mounts it over the current /proc; the caller must have its own mount namespace. Returns 0 or an errno.
[[nodiscard]] inline int mount_own_proc() {
  return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0 : errno;
}

}  // namespace parityd::confine
