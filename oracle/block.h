// A few hundred elements at a time, as doubles in the nearest cache: the arithmetic of scan.h, several lanes at once.
// Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oracle/closeness.h"
#include "oracle/totals.h"

namespace parityd::oracle::block {

inline constexpr std::int64_t kValues = 512;
struct alignas(64) Values : std::array<double, kValues> {};

/// Every `apart`-th of the values from `values` on.
void negate(double* values, std::int64_t count, std::int64_t apart);

/// Neighbouring elements of a floating type that have a short way to double, all at once; false: this type, or these
/// elements, take the long way.
[[nodiscard]] bool load(Dtype dtype, const std::byte* from, std::int64_t count, double* to);

/// add_pair() for every pair of the leaf, and the sums for the cosine. `reference` may be null. False: nothing is
/// added, some number is not finite or too large to be squared. `all_close`: no element is near enough to the limit of
/// `closeness` for rounding to matter.
[[nodiscard]] bool add(LeafTotals& totals, const double* eager, const double* compiled, const double* reference,
                       std::int64_t count, const Closeness& closeness, const Tolerances& tolerances, bool& all_close);

}  // namespace parityd::oracle::block
