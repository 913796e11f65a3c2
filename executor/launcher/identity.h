// Who the program is: never root.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace parityd::launcher {

/// Whom root becomes. The same for every worker: what keeps them apart are their namespaces and trees.
inline constexpr uid_t kNobody = 65534;

/// For good. Empty, or why it cannot be had.
[[nodiscard]] std::string become_nobody();

/// Whether `user`, who is neither the owner nor in a group of it, can enter every folder down to `path` and read it.
[[nodiscard]] bool readable_by_others(const std::filesystem::path& path, uid_t user);

}  // namespace parityd::launcher
