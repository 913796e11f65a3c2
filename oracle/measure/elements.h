// Reads one element of each type from raw bytes, without torch. Floating types are converted to double, exactly;
// integers are unchanged. Bytes need no alignment. The processor's flush-to-zero setting has no effect: subnormals of
// the small types are built from integers. Any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "oracle/dtype.h"
#include "oracle/portable.h"

namespace parityd::oracle::elements {

template <typename Bits>
[[nodiscard]] PARITYD_PORTABLE inline Bits bits_at(const std::byte* at) {
#ifdef __CUDA_ARCH__
  return *reinterpret_cast<const Bits*>(at);  // measure.cu has checked the alignment
#else
  Bits bits{};
  std::memcpy(&bits, at, sizeof bits);
  return bits;
#endif
}

/// An IEEE-like small float of 1 + exponent + mantissa bits. `unsigned_zero`: the two formats without a negative zero,
/// whose NaN is the bit pattern of minus zero; their bias is larger by one.
template <int ExponentBits, int MantissaBits, int Bias, bool UnsignedZero, bool HasInfinity>
[[nodiscard]] PARITYD_PORTABLE inline double small_float(std::uint32_t bits) {
  constexpr std::uint32_t kExponentMask = (1U << ExponentBits) - 1;
  constexpr std::uint32_t kMantissaMask = (1U << MantissaBits) - 1;
  const std::uint32_t mantissa = bits & kMantissaMask;
  const std::uint32_t exponent = (bits >> MantissaBits) & kExponentMask;
  const bool negative = ((bits >> (MantissaBits + ExponentBits)) & 1U) != 0;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if constexpr (UnsignedZero) {
    if (negative && exponent == 0 && mantissa == 0) return kNan;
  } else if constexpr (HasInfinity) {
    if (exponent == kExponentMask) return mantissa != 0 ? kNan : (negative ? -kInfinity : kInfinity);
  } else {
    if (exponent == kExponentMask && mantissa == kMantissaMask) return kNan;
  }
  // 2^power as a double's bits: every power that occurs is a normal double.
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - Bias - MantissaBits;
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
  const double magnitude = static_cast<double>(exponent == 0 ? mantissa : mantissa | (1U << MantissaBits)) * scale;
  return negative ? -magnitude : magnitude;
}

/// Loaders: a type's size in memory, the type it is compared as, and the conversion.
template <typename T>
struct Plain {
  using Value = T;
  static constexpr std::size_t kSize = sizeof(T);
  PARITYD_PORTABLE static Value load(const std::byte* at) { return bits_at<T>(at); }
};
struct Boolean {
  using Value = std::uint8_t;
  static constexpr std::size_t kSize = 1;
  PARITYD_PORTABLE static Value load(const std::byte* at) { return *at == std::byte{0} ? Value{0} : Value{1}; }
};
/// A float type of C++, and one of few bits (small_float); both are converted to double.
template <typename Stored>
struct Wide {
  using Value = double;
  static constexpr std::size_t kSize = sizeof(Stored);
  PARITYD_PORTABLE static Value load(const std::byte* at) { return static_cast<double>(bits_at<Stored>(at)); }
};
template <typename Bits, int ExponentBits, int MantissaBits, int Bias, bool UnsignedZero, bool HasInfinity>
struct Small {
  using Value = double;
  static constexpr std::size_t kSize = sizeof(Bits);
  PARITYD_PORTABLE static Value load(const std::byte* at) {
    return small_float<ExponentBits, MantissaBits, Bias, UnsignedZero, HasInfinity>(bits_at<Bits>(at));
  }
};
using Float16 = Small<std::uint16_t, 5, 10, 15, false, true>;
using BFloat16 = Small<std::uint16_t, 8, 7, 127, false, true>;
using Float32 = Wide<float>;
using Float64 = Wide<double>;
using Float8E4M3 = Small<std::uint8_t, 4, 3, 7, false, false>;
using Float8E5M2 = Small<std::uint8_t, 5, 2, 15, false, true>;
using Float8E4M3Unsigned = Small<std::uint8_t, 4, 3, 8, true, false>;
using Float8E5M2Unsigned = Small<std::uint8_t, 5, 2, 16, true, false>;

/// The real type of a complex type's two components; any other type is returned unchanged.
[[nodiscard]] PARITYD_PORTABLE constexpr Dtype component(Dtype dtype) {
  switch (dtype) {
    case Dtype::complex32:
      return Dtype::float16;
    case Dtype::complex64:
      return Dtype::float32;
    case Dtype::complex128:
      return Dtype::float64;
    default:
      return dtype;
  }
}

/// Calls `visit` with an object of the loader for `dtype`, which must not be complex.
template <typename Visitor>
PARITYD_PORTABLE decltype(auto) with_loader(Dtype dtype, Visitor&& visit) {
  switch (dtype) {
    case Dtype::boolean:
      return visit(Boolean{});
    case Dtype::uint8:
      return visit(Plain<std::uint8_t>{});
    case Dtype::int8:
      return visit(Plain<std::int8_t>{});
    case Dtype::int16:
      return visit(Plain<std::int16_t>{});
    case Dtype::int32:
      return visit(Plain<std::int32_t>{});
    case Dtype::int64:
      return visit(Plain<std::int64_t>{});
    case Dtype::uint16:
      return visit(Plain<std::uint16_t>{});
    case Dtype::uint32:
      return visit(Plain<std::uint32_t>{});
    case Dtype::uint64:
      return visit(Plain<std::uint64_t>{});
    case Dtype::float16:
      return visit(Float16{});
    case Dtype::bfloat16:
      return visit(BFloat16{});
    case Dtype::float64:
      return visit(Float64{});
    case Dtype::float8_e4m3fn:
      return visit(Float8E4M3{});
    case Dtype::float8_e5m2:
      return visit(Float8E5M2{});
    case Dtype::float8_e4m3fnuz:
      return visit(Float8E4M3Unsigned{});
    case Dtype::float8_e5m2fnuz:
      return visit(Float8E5M2Unsigned{});
    default:
      return visit(Float32{});
  }
}

}  // namespace parityd::oracle::elements
