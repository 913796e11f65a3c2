// Shows something again and again until a signal ends it: in place on a terminal, a line each time elsewhere. One
// thread.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

#include "agent/cli/screen.h"

namespace parityd::agent {

struct Watched {
  std::function<std::string(const Screen& screen)> page;  // for a terminal of that size
  std::function<std::string()> line;                      // for anything else; ends with a newline
};

/// Every `every`, and whenever the terminal's size changes. SIGINT, SIGTERM, SIGHUP (where it was not ignored, as
/// nohup does) and a reader that is gone end it; the terminal is then as it was before, with the last page on it.
void watch(const Watched& watched, std::ostream& out, Screen screen, std::chrono::milliseconds every);

/// The first lines of `page` that a screen has room for, each ending in what clears the rest of its line; as a
/// terminal's text that replaces what was drawn before.
[[nodiscard]] std::string redrawn(const std::string& page, const Screen& screen);

}  // namespace parityd::agent
