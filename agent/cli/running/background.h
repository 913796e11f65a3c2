// Restarts the current command detached from the terminal. Any thread.
#pragma once

#include "agent/cli/context.h"

namespace parityd::agent {

/// Internal option that tells `parityd run` that it is detached; not for users.
inline constexpr const char* kBehindOption = "--behind";

/// Starts the command in its own session and waits until it holds the daemon's lock. Its output goes to
/// STATE/parityd.out, which is emptied first; `log` is the path of its log. Returns the exit code: 0, or 3 after
/// printing why it did not start.
[[nodiscard]] int start_in_background(Context& context, const std::filesystem::path& log);

}  // namespace parityd::agent
