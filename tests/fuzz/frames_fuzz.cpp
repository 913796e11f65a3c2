// libFuzzer target: a worker's words.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  parityd::fuzz::feed_frames({reinterpret_cast<const char*>(data), size});
  return 0;
}
