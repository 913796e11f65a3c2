// The canary: a program of ours that each warm worker runs from time to time. One of its outputs must come out wrong
// (Inductor's own injected fault), the other bit-equal: a worker that no longer reports this is not trusted.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "oracle/measure/evidence.h"

namespace parityd::executor {

/// Runs in the modes `eager` and `inductor`.
[[nodiscard]] const std::string& canary_program();

/// Why the evidence is not what the canary must show; nullopt when it is.
[[nodiscard]] std::optional<std::string> canary_failure(const oracle::Evidence& evidence);

}  // namespace parityd::executor
