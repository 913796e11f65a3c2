// Runs one of PyTorch's debugging tools on a program, here and now. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>

#include "agent/config.h"
#include "agent/daemon/program/inspection.h"

namespace parityd::agent {

struct ToolRun {
  Inspection what;
  std::filesystem::path python;  // empty: of the worker built for `torch`, or where that is empty, the newest
  std::string torch;
  std::string device;  // empty: as the configuration says
};

struct ToolText {
  std::string text;
  std::string torch, device;  // it ran on
};

/// The error says what is missing, or that the tool failed.
[[nodiscard]] tl::expected<ToolText, std::string> run_tool(Config config, const ToolRun& run);

}  // namespace parityd::agent
