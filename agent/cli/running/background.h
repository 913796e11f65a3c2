// Starts this very command again behind the terminal. Any thread.
#pragma once

#include "agent/cli/context.h"

namespace parityd::agent {

/// What makes a `parityd run` know that it is behind the terminal; not for people.
inline constexpr const char* kBehindOption = "--behind";

/// Starts the command in a session of its own and waits until it holds the daemon's lock. What it prints goes to
/// STATE/parityd.out, which is emptied first; `log` is where its log will be. Returns the exit code: 0, or 3 after
/// printing why it did not start.
[[nodiscard]] int start_in_background(Context& context, const std::filesystem::path& log);

}  // namespace parityd::agent
