// Options shared by several commands, each with one form and one help text. The variables they fill must outlive the
// command. One thread.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "oracle/names.h"
#include "store/base/ids.h"

namespace parityd::agent {

/// Adds the finding that a command is about as its next positional. `more`: appended to its help.
CLI::Option* add_finding_option(CLI::App& command, store::Id& id, const std::string& more = "");
/// --without NAME, for commands that judge: an excuse to ignore this time. Names are checked.
void add_without_option(CLI::App& command, std::vector<std::string>& names);
CLI::Option* add_python_option(CLI::App& command, std::string& python, const std::string& help);
/// --device cpu, cuda or auto: where programs run.
void add_device_option(CLI::App& command, std::string& device);
void add_output_option(CLI::App& command, std::string& file);

/// Accepts only the names of an enumeration's values.
template <oracle::Named Enum>
[[nodiscard]] CLI::IsMember one_of() {
  const auto all = names(Enum{});
  return CLI::IsMember(std::vector<std::string>(all.begin(), all.end()));
}

}  // namespace parityd::agent
