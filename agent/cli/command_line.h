// parityd's complete command line. One thread.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "agent/cli/screen.h"

namespace parityd::agent {

/// Runs one command. `words` start with the program's name. Errors are written to `err`. Returns the exit code: 0 fine,
/// 1 found something or not found, 2 misuse, 3 environment.
[[nodiscard]] int run_command_line(const std::vector<std::string>& words, std::ostream& out, std::ostream& err,
                                   Screen screen = {});

}  // namespace parityd::agent
