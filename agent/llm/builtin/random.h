// Random numbers of the builtin provider: splitmix64, the same on every machine for the same seed. One thread per
// object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parityd::agent {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  /// 0 ≤ result < count; count is at least 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// low ≤ result ≤ high.
  long between(long low, long high) { return low + static_cast<long>(below(static_cast<std::size_t>(high - low + 1))); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }

  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace parityd::agent
