// Asks the launcher which layers of the sandbox this machine grants. Waits for it: for doctor, never for the daemon.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/protocol.h"

namespace parityd::agent {

struct SandboxProbe {
  std::optional<executor::Sandbox> sandbox;  // nothing: no report could be read
  std::string failure;                       // why it did not end well, in the launcher's words; empty: it did
};

/// Runs `LAUNCHER --sandbox LEVEL --probe`, for `patience` at most.
[[nodiscard]] SandboxProbe probe_sandbox(const std::filesystem::path& launcher, const std::string& level,
                                         std::chrono::milliseconds patience = std::chrono::seconds(30));

/// A line of doctor's.
struct SandboxLine {
  enum class State { good, bad, on, off };
  State state = State::good;
  std::string what, text;
};

/// The verdict, then each layer. `wanted`: what the configuration says.
[[nodiscard]] std::vector<SandboxLine> sandbox_lines(const SandboxProbe& probe, const std::string& wanted);

}  // namespace parityd::agent
