// The numbers that one pass over a leaf collects, and how an element adds to them: the same code on the processor and
// the GPU. Any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "oracle/dtype.h"
#include "oracle/portable.h"

namespace parityd::oracle {

/// `actual` against `expected`. Sums and maxima are over elements finite on both sides.
template <typename Count>
struct PairTotalsOf {
  Count unequal = 0, nan_differs = 0, inf_differs = 0, sign_differs = 0, nan_bits = 0, finite = 0;
  Count nan = 0;        // NaN on either side or both
  Count cancelled = 0;  // equal infinities: their difference is NaN too
  double max_absolute = 0, max_relative = 0, max_scaled = 0;
  double sum_difference = 0, sum_expected = 0;  // sums of squares
};

/// All pairs of one leaf's eager, compiled and reference run.
template <typename Count>
struct LeafTotalsOf {
  PairTotalsOf<Count> compiled;            // compiled against eager
  PairTotalsOf<Count> eager_reference;     // eager against reference
  PairTotalsOf<Count> compiled_reference;  // compiled against reference
  Count elements = 0;                      // components for complex types
  bool far = false;                        // torch.allclose of eager and compiled fails (closeness.h)
  double sum_product = 0;  // eager · compiled, and compiled squared; with compiled.sum_expected: the cosine
  double sum_compiled = 0;
};

using PairTotals = PairTotalsOf<std::int64_t>;
using LeafTotals = LeafTotalsOf<std::int64_t>;

/// The tolerances by which `max_scaled` divides, for eager and for the reference as the expected side.
struct Tolerances {
  Tolerance eager{0, 0}, reference{0, 0};
};

/// The difference that `tolerance` allows for elements of this magnitude.
PARITYD_PORTABLE inline double allowed_by(const Tolerance& tolerance, double magnitude) {
  return tolerance.absolute + tolerance.relative * magnitude;
}

/// Updates the two maxima that are quotients. Division is the most expensive step: it runs only for a new maximum.
template <typename Count>
PARITYD_PORTABLE void add_quotients(PairTotalsOf<Count>& totals, double difference, double magnitude,
                                    const Tolerance& tolerance) {
  if (difference > totals.max_relative * magnitude) totals.max_relative = difference / magnitude;
  const double allowed = allowed_by(tolerance, magnitude);
  if (difference > totals.max_scaled * allowed && allowed > 0) totals.max_scaled = difference / allowed;
}

template <typename Count>
PARITYD_PORTABLE void add_difference(PairTotalsOf<Count>& totals, double difference, double magnitude, double expected,
                                     const Tolerance& tolerance, double scale) {
  totals.max_absolute = difference > totals.max_absolute ? difference : totals.max_absolute;
  add_quotients(totals, difference, magnitude, tolerance);
  const double scaled = difference * scale;
  totals.sum_difference += scaled * scaled;
  const double scaled_expected = expected * scale;
  totals.sum_expected += scaled_expected * scaled_expected;
  ++totals.finite;
}

/// `scale` keeps squares of large numbers finite.
template <typename Count>
PARITYD_PORTABLE void add_pair(PairTotalsOf<Count>& totals, double expected, double actual, const Tolerance& tolerance,
                               double scale) {
  const double expected_size = std::fabs(expected);
  const double actual_size = std::fabs(actual);
  const bool expected_nan = std::isnan(expected);
  const bool actual_nan = std::isnan(actual);
  const bool infinite = std::isinf(expected) || std::isinf(actual);
  if (expected_nan || actual_nan) {
    ++totals.nan;
    if (expected_nan && actual_nan) return;
    ++totals.unequal;
    ++totals.nan_differs;
    if (infinite) ++totals.inf_differs;
    return;
  }
  if (std::signbit(expected) != std::signbit(actual)) ++totals.sign_differs;
  if (expected != actual) {
    ++totals.unequal;
    if (infinite) ++totals.inf_differs;
  } else if (infinite) {
    ++totals.cancelled;
  }
  if (infinite) return;
  const double magnitude = expected_size > actual_size ? expected_size : actual_size;
  add_difference(totals, std::fabs(expected - actual), magnitude, expected, tolerance, scale);
}

/// Modulo 2^64, with sign extension.
template <typename Integer>
PARITYD_PORTABLE std::uint64_t as_unsigned(Integer value) {
  if constexpr (std::is_signed_v<Integer>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    return value;
  }
}

/// Equal except for the sign bit, as the bits of a NaN without payload.
template <typename Integer>
PARITYD_PORTABLE bool are_nan_bits(Integer one, Integer other) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(Integer));
  constexpr std::uint64_t kSign = std::uint64_t{1} << (kBits - 1);
  constexpr std::uint64_t kAll = kSign | (kSign - 1);
  const std::uint64_t first = as_unsigned(one) & kAll;
  if ((first ^ (as_unsigned(other) & kAll)) != kSign) return false;
  const std::uint64_t magnitude = first & ~kSign;
  switch (kBits) {
    case 16:
      return magnitude == 0x7e00U || magnitude == 0x7fc0U;  // float16, bfloat16
    case 32:
      return magnitude == 0x7fc00000U;
    case 64:
      return magnitude == 0x7ff8000000000000U;
    default:
      return false;
  }
}

/// Exact types have no tolerance.
template <typename Count, typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
PARITYD_PORTABLE void add_pair(PairTotalsOf<Count>& totals, Integer expected, Integer actual, double scale) {
  double difference = 0;
  if (expected != actual) {
    ++totals.unequal;
    if (are_nan_bits(expected, actual)) ++totals.nan_bits;
    // Exact for all 64-bit integers: the difference of any two fits the unsigned type.
    const bool grows = expected < actual;
    difference = static_cast<double>(as_unsigned(grows ? actual : expected) - as_unsigned(grows ? expected : actual));
  }
  const auto expected_value = static_cast<double>(expected);
  const double expected_size = std::fabs(expected_value);
  const double actual_size = std::fabs(static_cast<double>(actual));
  add_difference(totals, difference, expected_size > actual_size ? expected_size : actual_size, expected_value, {0, 0},
                 scale);
}

template <typename Count, typename More>
PARITYD_PORTABLE void merge(PairTotalsOf<Count>& totals, const PairTotalsOf<More>& more) {
  totals.unequal += more.unequal;
  totals.nan_differs += more.nan_differs;
  totals.inf_differs += more.inf_differs;
  totals.sign_differs += more.sign_differs;
  totals.nan_bits += more.nan_bits;
  totals.finite += more.finite;
  totals.nan += more.nan;
  totals.cancelled += more.cancelled;
  totals.max_absolute = totals.max_absolute > more.max_absolute ? totals.max_absolute : more.max_absolute;
  totals.max_relative = totals.max_relative > more.max_relative ? totals.max_relative : more.max_relative;
  totals.max_scaled = totals.max_scaled > more.max_scaled ? totals.max_scaled : more.max_scaled;
  totals.sum_difference += more.sum_difference;
  totals.sum_expected += more.sum_expected;
}

template <typename Count, typename More>
PARITYD_PORTABLE void merge(LeafTotalsOf<Count>& totals, const LeafTotalsOf<More>& more) {
  merge(totals.compiled, more.compiled);
  merge(totals.eager_reference, more.eager_reference);
  merge(totals.compiled_reference, more.compiled_reference);
  totals.elements += more.elements;
  totals.far = totals.far || more.far;
  totals.sum_product += more.sum_product;
  totals.sum_compiled += more.sum_compiled;
}

}  // namespace parityd::oracle
