#include "executor/malformed.h"

#include <algorithm>

namespace parityd::executor {

std::string printable(std::string reason) {
  constexpr std::size_t kLongest = 500;
  reason.resize(std::min(reason.size(), kLongest));
  std::ranges::replace_if(
      reason, [](unsigned char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return reason;
}

}  // namespace parityd::executor
