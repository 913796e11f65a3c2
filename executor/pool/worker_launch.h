// The command line and environment of a launcher, as the pool and the syntax client start it. Any thread.
#pragma once

#include <filesystem>

#include "executor/pool/pool.h"
#include "executor/process/process.h"

namespace parityd::executor {

enum class Role {
  warm,
  fork_parent,    // programs run only in its children
  cache_builder,  // primes with the shared cache writable, runs no program and ends
};

/// Quotes the word so that a POSIX shell reads it back unchanged, whatever it holds.
[[nodiscard]] std::string shell_quoted(const std::string& word);

/// With a launch prefix, the daemon's own environment is passed along (ssh and srun need theirs) without what looks
/// like a secret; without one, only what the launcher passes on. If the prefix is ssh, the launcher's words are quoted
/// for the remote shell; those of the prefix are not.
[[nodiscard]] ProcessOptions launch_options(const GroupConfig& config, const std::filesystem::path& scratch, Role role);

}  // namespace parityd::executor
