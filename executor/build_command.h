// Running a command to its end, and finding programs the way a shell does. For the command line's one-shot work: it
// blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parityd::executor {

/// Runs `command` with our environment; `line` gets each line of its standard output and, after the end, of its
/// standard error. Returns its exit status, 128 + signal when one ended it. Throws std::system_error when it cannot be
/// started.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& directory,
                const std::function<void(const std::string&)>& line);

/// The program's path as PATH gives it; empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::filesystem::path& name);
/// The same, absolute, links kept (a virtual environment's python is one); `name` itself made absolute when not found.
[[nodiscard]] std::filesystem::path absolute_program(const std::filesystem::path& name);

}  // namespace parityd::executor
