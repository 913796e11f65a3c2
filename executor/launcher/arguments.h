// The launcher's command line (docs/protocol.md "The launcher"). Pure.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "executor/launcher/layers.h"

namespace parityd::launcher {

struct Arguments {
  std::filesystem::path python;   // a path, or a name to look up in PATH
  std::filesystem::path scratch;  // absolute; created when missing
  std::filesystem::path syntax;   // the script of a syntax process; empty: a worker
  // Workers only:
  std::filesystem::path module;   // folder of the built module
  std::filesystem::path sources;  // folder of main.py
  std::filesystem::path cache;    // compiler caches that outlive one worker
  std::filesystem::path overlay;  // searched for packages before the installed ones; empty: none
  bool build_cache = false;       // the trusted run that fills the caches: it never runs a program
  bool fork_parent = false;       // programs run only in its children
  bool probe = false;             // only report which layers this machine grants
  bool help = false;
  Level sandbox = Level::automatic;
  std::vector<Layer> without;

  [[nodiscard]] bool worker() const { return syntax.empty() && !probe; }
  [[nodiscard]] std::filesystem::path script() const { return syntax.empty() ? sources / "main.py" : syntax; }
};

/// The error says which argument is wrong and why.
[[nodiscard]] tl::expected<Arguments, std::string> parse_arguments(std::span<char* const> arguments);

[[nodiscard]] std::string usage();

}  // namespace parityd::launcher
