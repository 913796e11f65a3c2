// Asks the launcher which layers of the sandbox this machine allows. Blocks: for doctor, never for the daemon. One
// thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/protocol.h"

namespace parityd::agent {

struct SandboxProbe {
  std::optional<executor::Sandbox> sandbox;  // nullopt: no report could be read
  std::string failure;                       // why the launcher failed, in its words; empty: it succeeded
};

/// Runs `LAUNCHER --sandbox LEVEL --probe` for at most `patience`.
[[nodiscard]] SandboxProbe probe_sandbox(const std::filesystem::path& launcher, const std::string& level,
                                         std::chrono::milliseconds patience = std::chrono::seconds(30));

/// A line of doctor's output.
struct SandboxLine {
  enum class State { good, bad, on, off };
  State state = State::good;
  std::string what, text;
};

/// The result, then each layer. `wanted`: the configured level.
[[nodiscard]] std::vector<SandboxLine> sandbox_lines(const SandboxProbe& probe, const std::string& wanted);

}  // namespace parityd::agent
