// libFuzzer target: artefact files.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static parityd::fuzz::Artefacts artefacts;
  artefacts.feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
