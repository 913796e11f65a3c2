// Seeds of individual random draws. Pure; any thread.
#pragma once

#include <cstdint>

namespace parityd::agent {

/// The seed of draw `number` under the daemon's seed. Neighbouring numbers give seeds far apart (2^64 times the golden
/// ratio's fraction).
[[nodiscard]] constexpr std::uint64_t draw_seed(std::uint64_t seed, std::uint64_t number) {
  return seed ^ (number * 0x9E3779B97F4A7C15ULL);
}

}  // namespace parityd::agent
