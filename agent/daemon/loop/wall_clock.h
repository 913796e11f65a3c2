// The wall clock, for labels and days; durations are measured with executor::Clock.
#pragma once

#include <chrono>

#include "store/base/ids.h"

namespace parityd::agent {

/// Now, in milliseconds since 1970 (UTC). From any thread.
[[nodiscard]] inline store::Millis wall_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace parityd::agent
