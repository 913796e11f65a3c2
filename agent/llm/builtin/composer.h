// Writes small programs from typed rules, without a model: every line's shapes, types and ranges are known as it is
// written, so nearly all of them run. The same seed gives the same program on every machine. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace parityd::agent {

/// A whole program: imports, Model, get_inputs and, for some, OPTIONS.
[[nodiscard]] std::string compose(std::uint64_t seed);

}  // namespace parityd::agent
