// The finding that a command is about.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "store/base/ids.h"

namespace parityd::agent {

/// Adds it as the next positional; `id` must outlive the command. `more`: what its help says beside.
inline CLI::Option* add_finding_option(CLI::App& command, store::Id& id, const std::string& more = "") {
  return command.add_option("id", id, "Finding, as `parityd findings` numbers them" + more)->type_name("FINDING");
}

}  // namespace parityd::agent
