// The pool's side: programs through the daemon's own examiner and primed warm workers. One thread.
#pragma once

#include "tests/bench/measure.h"

namespace parityd::bench {

/// Screens every program once: eager, the program's compiled mode, measurement, verdict. Workers must be primed.
/// The error is the pool's or the harness's.
[[nodiscard]] tl::expected<Round, std::string> warm_round(agent::Engine& engine, const std::vector<Program>& programs);

}  // namespace parityd::bench
