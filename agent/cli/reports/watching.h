// Refreshes output until a signal: in place on a terminal, one line each time elsewhere. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

#include "agent/cli/screen.h"

namespace parityd::agent {

struct Watched {
  std::function<std::string(const Screen& screen)> page;  // content for a terminal of that size
  std::function<std::string()> line;                      // content for anything else; ends with a newline
};

/// Refreshes at the interval `every` and whenever the terminal's size changes. Ends on SIGINT, SIGTERM, SIGHUP (unless
/// ignored, as under nohup) or when the reader is gone; the terminal is then restored, with the last page on it.
void watch(const Watched& watched, std::ostream& out, Screen screen, std::chrono::milliseconds every);

/// The first lines of `page` that fit the screen, each followed by clearing the rest of its line, as terminal text that
/// replaces what was drawn before.
[[nodiscard]] std::string redrawn(const std::string& page, const Screen& screen);

}  // namespace parityd::agent
