// The one pass over two tensors' elements that takes all numbers at once. Any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "oracle/elements.h"
#include "oracle/layout.h"

namespace parityd::oracle::scan {

struct Totals {
  std::int64_t unequal = 0, nan_differs = 0, inf_differs = 0, sign_differs = 0, nan_bits = 0, finite = 0;
  double max_absolute = 0, max_relative = 0, max_scaled = 0, sum_difference = 0, sum_expected = 0;
};

/// What happens to a stored value on its way to its logical one, and the factor that keeps squares finite.
struct Reading {
  bool negate_expected = false, negate_actual = false;
  double scale = 1;
  Tolerance tolerance = {0, 0};  // what `max_scaled` counts in
};

inline void add_difference(Totals& totals, double difference, double magnitude, double expected,
                           const Reading& reading) {
  const double scale = reading.scale;
  const double allowed = reading.tolerance.absolute + reading.tolerance.relative * magnitude;
  if (difference > totals.max_scaled * allowed && allowed > 0) totals.max_scaled = difference / allowed;
  totals.max_absolute = std::max(totals.max_absolute, difference);
  // Division is the dearest step: only for a new maximum.
  if (difference > totals.max_relative * magnitude) totals.max_relative = difference / magnitude;
  const double scaled = difference * scale;
  totals.sum_difference += scaled * scaled;
  const double scaled_expected = expected * scale;
  totals.sum_expected += scaled_expected * scaled_expected;
  ++totals.finite;
}

inline void add_pair(Totals& totals, double expected, double actual, const Reading& reading) {
  const bool finite = std::isfinite(expected) && std::isfinite(actual);
  if (expected != actual) {
    const bool expected_nan = std::isnan(expected);
    const bool actual_nan = std::isnan(actual);
    if (expected_nan && actual_nan) return;
    ++totals.unequal;
    if (expected_nan != actual_nan) ++totals.nan_differs;
    if (std::isinf(expected) || std::isinf(actual)) ++totals.inf_differs;
    if (expected_nan || actual_nan) return;
  }
  if (std::signbit(expected) != std::signbit(actual)) ++totals.sign_differs;
  if (!finite) return;
  add_difference(totals, std::fabs(expected - actual), std::max(std::fabs(expected), std::fabs(actual)), expected,
                 reading);
}

/// Modulo 2^64, the sign carried over.
template <typename Integer>
std::uint64_t as_unsigned(Integer value) {
  if constexpr (std::is_signed_v<Integer>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    return value;
  }
}

/// The same integer as the bits of a float without payload: NaN, or NaN with the sign bit set.
template <typename Integer>
bool are_nan_bits(Integer one, Integer other) {
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

template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
void add_pair(Totals& totals, Integer expected, Integer actual, const Reading& reading) {
  double difference = 0;
  if (expected != actual) {
    ++totals.unequal;
    if (are_nan_bits(expected, actual)) ++totals.nan_bits;
    // Exact for all 64-bit integers: the difference of any two fits the unsigned type.
    const auto larger = as_unsigned(std::max(expected, actual));
    difference = static_cast<double>(larger - as_unsigned(std::min(expected, actual)));
  }
  const auto expected_value = static_cast<double>(expected);
  add_difference(totals, difference, std::max(std::fabs(expected_value), std::fabs(static_cast<double>(actual))),
                 expected_value, reading);
}

/// Elements known to be equal bit for bit: only what the expected side alone tells.
template <typename Loader>
void add_equal(Totals& totals, const std::byte* at, std::int64_t count, double scale) {
  for (std::int64_t i = 0; i < count; ++i, at += Loader::kSize) {
    const double value = static_cast<double>(Loader::load(at)) * scale;
    const bool finite = std::isfinite(value);
    totals.sum_expected += finite ? value * value : 0;
    totals.finite += finite ? 1 : 0;
  }
}

template <typename Loader>
auto logical(typename Loader::Value value, bool negate) {
  if constexpr (std::is_floating_point_v<typename Loader::Value>) {
    return negate ? -value : value;
  } else {
    return value;  // torch sets the negative bit on complex and floating tensors only
  }
}

/// One row of two tensors of one type. Neighbouring elements are compared as blocks of bytes first.
template <typename Loader>
void scan_row(Totals& totals, const std::byte* expected, const std::byte* actual, const layout::Dimension& row,
              const Reading& reading) {
  constexpr std::int64_t kBlock = 512;
  constexpr auto kSize = static_cast<std::int64_t>(Loader::kSize);
  const bool plain =
      row.expected_step == kSize && row.actual_step == kSize && reading.negate_expected == reading.negate_actual;
  for (std::int64_t at = 0; at < row.size; at += kBlock) {
    const std::int64_t count = std::min(kBlock, row.size - at);
    const std::byte* one = expected + at * row.expected_step;
    const std::byte* other = actual + at * row.actual_step;
    if (plain && std::memcmp(one, other, static_cast<std::size_t>(count * kSize)) == 0) {
      add_equal<Loader>(totals, one, count, reading.scale);
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i, one += row.expected_step, other += row.actual_step) {
      add_pair(totals, logical<Loader>(Loader::load(one), reading.negate_expected),
               logical<Loader>(Loader::load(other), reading.negate_actual), reading);
    }
  }
}

inline Totals scan_same_type(Dtype dtype, const layout::Walk& walk, const std::byte* expected, const std::byte* actual,
                             const Reading& reading) {
  Totals totals;
  elements::with_loader(dtype, [&](auto loader) {
    layout::for_each_row(walk, expected, actual, [&](const auto* one, const auto* other, const auto& row) {
      scan_row<decltype(loader)>(totals, one, other, row, reading);
    });
  });
  return totals;
}

/// Two floating types, such as a single precision run against the double one.
inline Totals scan_mixed_types(Dtype expected_type, Dtype actual_type, const layout::Walk& walk,
                               const std::byte* expected, const std::byte* actual, const Reading& reading) {
  using Load = double (*)(const std::byte*);
  const auto load_of = [](Dtype dtype) {
    return elements::with_loader(dtype, [](auto loader) -> Load {
      return [](const std::byte* at) { return static_cast<double>(decltype(loader)::load(at)); };
    });
  };
  const Load load_expected = load_of(expected_type);
  const Load load_actual = load_of(actual_type);
  Totals totals;
  layout::for_each_row(walk, expected, actual, [&](const auto* one, const auto* other, const auto& row) {
    for (std::int64_t i = 0; i < row.size; ++i, one += row.expected_step, other += row.actual_step) {
      const double first = load_expected(one);
      const double second = load_actual(other);
      add_pair(totals, reading.negate_expected ? -first : first, reading.negate_actual ? -second : second, reading);
    }
  });
  return totals;
}

}  // namespace parityd::oracle::scan
