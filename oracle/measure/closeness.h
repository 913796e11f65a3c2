// torch.isclose of one element, exact to the last rounding: every step is rounded to the element's own type, as in
// torch's processor kernels. Complex elements are compared by modulus, integers in float32. Any thread; also on the
// GPU.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "oracle/dtype.h"
#include "oracle/portable.h"

namespace parityd::oracle {

/// `value` rounded to a binary format with `mantissa_bits` after the point, to nearest, ties to even.
PARITYD_PORTABLE inline double rounded_to(double value, int mantissa_bits, double smallest_normal, double overflow) {
  if (!(std::fabs(value) <= std::numeric_limits<double>::max())) return value;
  if (std::fabs(value) < smallest_normal) {
    // Adding 1.5 · 2^52 spacings drops all bits below the spacing of subnormals.
    const double spacing =
        smallest_normal * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - mantissa_bits) << 52);
    const double magic = spacing * 0x1.8p52;
    return (value + magic) - magic;
  }
  const int drop = 52 - mantissa_bits;
  auto bits = std::bit_cast<std::uint64_t>(value);
  bits += ((std::uint64_t{1} << (drop - 1)) - 1) + ((bits >> drop) & 1U);
  bits &= ~((std::uint64_t{1} << drop) - 1);
  const auto rounded = std::bit_cast<double>(bits);
  if (std::fabs(rounded) < overflow) return rounded;
  return value > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

PARITYD_PORTABLE inline double rounded_to_single(double value) {
  return static_cast<double>(static_cast<float>(value));
}

/// `value` converted to the (component) type as torch converts a double: the half types by way of float32.
PARITYD_PORTABLE inline double rounded_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::float64:
    case Dtype::complex128:
      return value;
    case Dtype::float16:
    case Dtype::complex32:
      return rounded_to(rounded_to_single(value), 10, 0x1p-14, 0x1p16);
    case Dtype::bfloat16:
      return rounded_to(rounded_to_single(value), 7, 0x1p-126, 0x1p128);
    default:
      return rounded_to_single(value);
  }
}

/// A product that compilers do not contract with the sum that uses it.
PARITYD_PORTABLE inline double product_of(double one, double other) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(one, other);
#else
  return one * other;  // built with -ffp-contract=off
#endif
}

/// The parameters of the comparison, computed once for a leaf.
struct Closeness {
  Dtype dtype = Dtype::float32;  // of both sides
  double absolute = 0;           // the tolerance rounded as the sum's operand
  double relative = 0;           // the tolerance rounded as the product's operand
  double certain = 0;            // an error below this share of the allowed one is close, whatever the rounding
  bool equal_nan = true;
  bool exact = false;  // a tolerance of zero: only equal elements are close
};

inline constexpr double kCertainComplex = 0.7;  // each component within 1/√2: then so is the modulus

[[nodiscard]] inline Closeness closeness_of(Dtype dtype, double tolerance, bool equal_nan) {
  Closeness closeness{dtype, tolerance, tolerance, 0, equal_nan, tolerance == 0};
  if (dtype == Dtype::float64 || dtype == Dtype::complex128) {
    closeness.certain = is_complex(dtype) ? kCertainComplex : 1 - 0x1p-40;
    return closeness;
  }
  closeness.relative = rounded_to_single(tolerance);
  closeness.absolute = rounded_to(dtype, tolerance);
  const bool half = dtype == Dtype::float16 || dtype == Dtype::bfloat16;
  // Subnormal tolerances have hardly any relative precision: then every element takes the exact path.
  if (tolerance >= 1e-4) closeness.certain = is_complex(dtype) ? kCertainComplex : (half ? 0.95 : 1 - 0x1p-18);
  return closeness;
}

/// |expected − actual| ≤ tolerance + |tolerance · actual|, rounded step by step. Floating types.
PARITYD_PORTABLE inline bool is_close(const Closeness& closeness, double expected, double actual) {
  if (expected == actual) return true;
  if (std::isnan(expected) || std::isnan(actual))
    return closeness.equal_nan && std::isnan(expected) && std::isnan(actual);
  if (closeness.exact) return false;
  const Dtype dtype = closeness.dtype;
  const double difference = rounded_to(dtype, std::fabs(expected - actual));
  const double product = rounded_to(dtype, std::fabs(product_of(closeness.relative, actual)));
  return std::isfinite(difference) && difference <= rounded_to(dtype, closeness.absolute + product);
}

/// The same for complex elements, over the moduli of the difference and of the scaled second element.
PARITYD_PORTABLE inline bool is_close(const Closeness& closeness, double expected_real, double expected_imaginary,
                                      double actual_real, double actual_imaginary) {
  if (expected_real == actual_real && expected_imaginary == actual_imaginary) return true;
  const bool expected_nan = std::isnan(expected_real) || std::isnan(expected_imaginary);
  const bool actual_nan = std::isnan(actual_real) || std::isnan(actual_imaginary);
  if (expected_nan || actual_nan) return closeness.equal_nan && expected_nan && actual_nan;
  if (closeness.exact) return false;
  const Dtype dtype = closeness.dtype;
  const double difference = rounded_to(dtype, std::hypot(rounded_to(dtype, expected_real - actual_real),
                                                         rounded_to(dtype, expected_imaginary - actual_imaginary)));
  const double product =
      rounded_to(dtype, std::hypot(rounded_to(dtype, product_of(closeness.relative, actual_real)),
                                   rounded_to(dtype, product_of(closeness.relative, actual_imaginary))));
  return std::isfinite(difference) && difference <= rounded_to(dtype, closeness.absolute + product);
}

/// Integers and bool, which torch compares as uint8: equal, or close in float32, to which their difference is cast.
template <typename Integer>
PARITYD_PORTABLE bool is_close_integer(const Closeness& closeness, Integer expected, Integer actual) {
  if (expected == actual) return true;
  if (closeness.exact) return false;
  const auto one = static_cast<double>(static_cast<float>(expected));
  const auto other = static_cast<double>(static_cast<float>(actual));
  const double product = rounded_to_single(std::fabs(product_of(closeness.relative, other)));
  return rounded_to_single(std::fabs(one - other)) <= rounded_to_single(closeness.absolute + product);
}

}  // namespace parityd::oracle
