#include "agent/daemon/loop/wall_clock.h"

#include <chrono>

namespace parityd::agent {

store::Millis wall_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace parityd::agent
