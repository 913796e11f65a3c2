// What a libFuzzer target is made of: the entry point, and changes that know the input's shape beside libFuzzer's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "tests/fuzz/shapes.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace parityd::fuzz {

/// In place, for LLVMFuzzerCustomMutator: half of the changes are libFuzzer's.
inline std::size_t mutate(Shape shape, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  std::mt19937 random(seed);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string changed = reshaped(shape, text, text, random);
  const std::size_t kept = std::min(changed.size(), most);
  std::memcpy(data, changed.data(), kept);
  return kept;
}

}  // namespace parityd::fuzz

#define PARITYD_FUZZ_TARGET(feed, shape)                                                                 \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                    \
    feed({reinterpret_cast<const char*>(data), size});                                                   \
    return 0;                                                                                            \
  }                                                                                                      \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, \
                                                 unsigned seed) {                                        \
    return parityd::fuzz::mutate(shape, data, size, most, seed);                                         \
  }
