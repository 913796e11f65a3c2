// Runs a command to completion, and looks programs up as a shell does. For one-shot work of the command line. Any
// thread; blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parityd::executor {

/// Runs `command` with our environment. `line` receives each line of its standard output and, after it has ended, each
/// line of its standard error. Returns its exit status, or 128 + signal when a signal ended it. Throws
/// std::system_error when it cannot be started.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& directory,
                const std::function<void(const std::string&)>& line);

/// Path of the program as found through PATH; empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::filesystem::path& name);
/// The same as an absolute path, with links kept (a virtual environment's python is one). If it is not found, `name`
/// itself made absolute.
[[nodiscard]] std::filesystem::path absolute_program(const std::filesystem::path& name);

}  // namespace parityd::executor
