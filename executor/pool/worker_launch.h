// The command line and environment of a launcher, as the pool and the syntax client start it. Any thread.
#pragma once

#include <filesystem>

#include "executor/pool/pool.h"
#include "executor/process/process.h"

namespace parityd::executor {

enum class Role {
  warm,
  fork_parent,    // programs run in its children alone
  cache_builder,  // primes with the shared cache writable, runs nothing and ends
};

/// The word as a POSIX shell reads it back, whatever it holds.
[[nodiscard]] std::string shell_quoted(const std::string& word);

/// With a launch prefix the daemon's own environment goes along (ssh and srun need theirs), less what looks like a
/// secret; without one only what the launcher passes on. Where the prefix is ssh the launcher's words, not those of the
/// prefix, are quoted for the shell over there.
[[nodiscard]] ProcessOptions launch_options(const GroupConfig& config, const std::filesystem::path& scratch, Role role);

}  // namespace parityd::executor
