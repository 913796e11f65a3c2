// The /proc of the process namespace that the caller is in.
#pragma once

#include <sys/mount.h>

#include <cerrno>

namespace parityd::confine {

/// Mounts it over what /proc shows now; in a mount namespace of the caller's own. 0 or an errno.
[[nodiscard]] inline int mount_own_proc() {
  return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0 : errno;
}

}  // namespace parityd::confine
