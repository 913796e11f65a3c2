// --without NAME, of commands that judge: an excuse that does not count this time.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace parityd::agent {

/// Adds the option; its names, checked, go to `names`, which must outlive the command.
void add_without_option(CLI::App& command, std::vector<std::string>& names);

}  // namespace parityd::agent
