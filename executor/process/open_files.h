// How many files (sockets and pipes are files) this process may have open, and how many more it can open. Any thread.
#pragma once

#include <cstdint>

namespace parityd::executor {

/// What one worker process takes: its three pipes.
inline constexpr std::uint64_t kFilesOfProcess = 3;

/// Raises the soft limit to the hard one, but not beyond 65,536: some programs look at every number up to their limit,
/// and nobody here needs more. Returns what holds then.
std::uint64_t raise_open_files_limit();

/// The limit that holds.
[[nodiscard]] std::uint64_t open_files_limit();

/// How many more can be opened now.
[[nodiscard]] std::uint64_t open_files_left();

}  // namespace parityd::executor
