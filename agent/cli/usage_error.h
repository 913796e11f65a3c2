// What is wrong with a command line, in words, and what was probably meant. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace parityd::agent {

/// One or two lines that end with a newline: "parityd: no such command: stauts; did you mean status?" and where to read
/// on. `app` has parsed as far as it could.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace parityd::agent
