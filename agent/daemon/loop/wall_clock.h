// The wall clock, for labels and days; durations are measured with executor::Clock.
#pragma once

#include "store/base/ids.h"

namespace parityd::agent {

/// Now, in milliseconds since 1970 (UTC). From any thread.
[[nodiscard]] store::Millis wall_clock();

}  // namespace parityd::agent
