// libFuzzer target: the splitter of a worker's output into lines.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static parityd::fuzz::Lines lines;
  lines.feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
