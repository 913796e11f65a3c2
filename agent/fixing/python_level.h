// Whether torch's Python can be at fault: a finding in a kernel or in the dispatcher is told apart before a model is
// asked for a change. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "agent/fixing/fired.h"
#include "store/findings/findings.h"

namespace parityd::agent {

/// Why no change of torch's Python can be right, one sentence: the fault is in C++, or on eager's side. nullopt: one
/// may be; so it is whenever there is doubt, and for generated code, whose generator is Python. `fired`: what the
/// compiler did for the program; nullptr: not known, and fewer findings are told apart.
[[nodiscard]] std::optional<std::string> why_not_python(const store::FindingRow& finding, const Fired* fired = nullptr);

}  // namespace parityd::agent
