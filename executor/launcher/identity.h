// The identity under which the program runs: never root. Holds for the calling process; one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace parityd::launcher {

/// The user that root becomes. The same for every worker: namespaces and trees keep workers apart.
inline constexpr uid_t kNobody = 65534;

/// Cannot be undone. Returns empty, or the reason for the failure.
[[nodiscard]] std::string become_nobody();

/// Whether `user`, who is neither the owner nor in the group, can enter every folder down to `path` and read it.
[[nodiscard]] bool readable_by_others(const std::filesystem::path& path, uid_t user);

}  // namespace parityd::launcher
