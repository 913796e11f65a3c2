#include "executor/pool/worker_seconds.h"

namespace parityd::executor {

std::string_view name(Occupation occupation) {
  constexpr std::array<std::string_view, kOccupations> kNames{"import", "prime",  "eager", "compile", "compare",
                                                              "reset",  "canary", "gate",  "screen",  "idle"};
  return kNames.at(static_cast<std::size_t>(occupation));
}

}  // namespace parityd::executor
