// Options that several commands take, each with one form and one help. What they fill must outlive the command.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "oracle/names.h"
#include "store/base/ids.h"

namespace parityd::agent {

/// The finding that a command is about, as its next positional. `more`: what its help says beside.
CLI::Option* add_finding_option(CLI::App& command, store::Id& id, const std::string& more = "");
/// --without NAME, of commands that judge: an excuse that does not count this time. Names are checked.
void add_without_option(CLI::App& command, std::vector<std::string>& names);
CLI::Option* add_python_option(CLI::App& command, std::string& python, const std::string& help);
/// --device cpu, cuda or auto: where programs run.
void add_device_option(CLI::App& command, std::string& device);
void add_output_option(CLI::App& command, std::string& file);

/// The names of an enumeration's values, and nothing else.
template <oracle::Named Enum>
[[nodiscard]] CLI::IsMember one_of() {
  const auto all = names(Enum{});
  return CLI::IsMember(std::vector<std::string>(all.begin(), all.end()));
}

}  // namespace parityd::agent
