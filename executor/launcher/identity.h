// Who the program is: never root, and without capabilities.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace parityd::launcher {

/// Whom root becomes. The same for every worker: what keeps them apart are their namespaces and trees.
inline constexpr uid_t kNobody = 65534;

/// For good. Empty, or why it cannot be had.
[[nodiscard]] std::string become_nobody();

/// A user namespace of this process's own in which it stays who it is: the kernel counts processes a namespace.
/// Empty, or why it cannot be had.
[[nodiscard]] std::string enter_user_namespace();

/// Maps a user and a group to themselves in the user namespace this process has just entered. 0 or an errno.
[[nodiscard]] int map_identity(uid_t user, gid_t group);

/// Gives all capabilities up, for good. Empty, or why not.
[[nodiscard]] std::string drop_capabilities();

/// Whether `user`, who is neither the owner nor in a group of it, can enter every folder down to `path` and read it.
[[nodiscard]] bool readable_by_others(const std::filesystem::path& path, uid_t user);

}  // namespace parityd::launcher
