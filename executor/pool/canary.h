// The canary: a program of ours that a warm worker runs now and then. One of its outputs must come out wrong
// (Inductor's own injected fault), the other bit-equal: a worker that no longer says so is not believed.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "oracle/measure/evidence.h"

namespace parityd::executor {

/// Runs as `eager` and `inductor`.
[[nodiscard]] const std::string& canary_program();

/// Why the evidence is not the canary's; nothing when it is.
[[nodiscard]] std::optional<std::string> canary_failure(const oracle::Evidence& evidence);

}  // namespace parityd::executor
