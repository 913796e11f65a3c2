// How many files (including sockets and pipes) this process may have open, and how many more it can open. Any thread.
#pragma once

#include <cstdint>

namespace parityd::executor {

/// Files that one worker process needs: its three pipes.
inline constexpr std::uint64_t kFilesOfProcess = 3;

/// Raises the soft limit to the hard one, but not above 65,536: some programs visit every number up to their limit, and
/// parityd never needs more. Returns the limit then in effect.
std::uint64_t raise_open_files_limit();

/// The limit in effect.
[[nodiscard]] std::uint64_t open_files_limit();

/// How many more files can be opened now.
[[nodiscard]] std::uint64_t open_files_left();

}  // namespace parityd::executor
