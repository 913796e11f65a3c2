// A few hundred elements at a time, as doubles in the nearest cache: the arithmetic of scan.h, several lanes at once.
// Any thread.
#pragma once

#include <array>
#include <cstdint>

#include "oracle/closeness.h"
#include "oracle/totals.h"

namespace parityd::oracle::block {

inline constexpr std::int64_t kValues = 512;
struct alignas(64) Values : std::array<double, kValues> {};

/// Every `apart`-th of the values from `values` on.
void negate(double* values, std::int64_t count, std::int64_t apart);

/// add_pair() of every element.
void add_pairs(PairTotals& totals, const double* expected, const double* actual, std::int64_t count, double scale);

struct Nearness {
  bool all_close = false;  // false also when only the long way (is_close) can tell
  double product = 0, compiled = 0;
};
[[nodiscard]] Nearness nearness(const double* eager, const double* compiled, std::int64_t count,
                                const Closeness& closeness);

}  // namespace parityd::oracle::block
