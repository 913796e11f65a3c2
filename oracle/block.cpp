#include "oracle/block.h"

#include <algorithm>
#include <cstring>
#include <limits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace parityd::oracle::block {
namespace {

constexpr std::int64_t kMagnitude = INT64_MAX;  // all bits but the sign

/// What add() gathers of one pair: numbers, and whether the long way must look for signs and larger quotients.
struct PairSums {
  double largest = 0, differences = 0;
  std::int64_t unequal = 0;
  bool signs = false, larger_quotients = false;
};
struct Sums {
  PairSums compiled, eager_reference, compiled_reference;
  double eager = 0, actual = 0, reference = 0, product = 0;  // squares, and eager · compiled
  bool all_close = false;
};
/// A pair's largest quotients so far: of an element's size, and the sum that its tolerance allows.
struct Largest {
  double relative, scaled_absolute, scaled_relative;
};
/// What add() compares quotients and distances with.
struct Limits {
  Largest compiled, eager_reference, compiled_reference;
  double absolute, relative;
};

template <int Count>
struct Vectors;
template <>
struct Vectors<2> {
  using Lanes = double __attribute__((vector_size(16)));
  using Masks = std::int64_t __attribute__((vector_size(16)));
};
template <>
struct Vectors<4> {
  using Lanes = double __attribute__((vector_size(32)));
  using Masks = std::int64_t __attribute__((vector_size(32)));
};
template <>
struct Vectors<8> {
  using Lanes = double __attribute__((vector_size(64)));
  using Masks = std::int64_t __attribute__((vector_size(64)));
};

/// One pair's lanes. Vectors are passed by reference only: their calling convention depends on the instruction set.
template <int Count>
struct PairLanes {
  using Lanes = typename Vectors<Count>::Lanes;
  using Masks = typename Vectors<Count>::Masks;
  Lanes largest{}, differences{};
  Masks unequal{}, signs{}, quotients{};

  [[gnu::always_inline]] inline void add(const Lanes& one, const Lanes& one_size, const Lanes& other,
                                         const Lanes& other_size, const Largest& so_far, Lanes& difference) {
    const Lanes apart = one - other;
    difference = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(apart) & kMagnitude);
    largest = difference > largest ? difference : largest;
    differences += apart * apart;
    unequal -= one != other;
    signs |= reinterpret_cast<Masks>(one) ^ reinterpret_cast<Masks>(other);
    const Lanes size = one_size > other_size ? one_size : other_size;
    // Negative: a new maximum.
    quotients |= reinterpret_cast<Masks>(so_far.relative * size - difference);
    quotients |= reinterpret_cast<Masks>(so_far.scaled_absolute + so_far.scaled_relative * size - difference);
  }

  [[gnu::always_inline]] inline void finish(PairSums& sums) const {
    for (int lane = 0; lane < Count; ++lane) {
      sums.largest = std::max(sums.largest, largest[lane]);
      sums.differences += differences[lane];
      sums.unequal += unequal[lane];
      sums.signs |= signs[lane] < 0;
      sums.larger_quotients |= quotients[lane] < 0;
    }
  }
};

template <int Count, bool Reference>
[[gnu::always_inline]] inline void gather(const double* eager, const double* compiled, const double* reference,
                                          std::int64_t count, const Limits& limits, Sums& sums) {
  using Lanes = typename Vectors<Count>::Lanes;
  using Masks = typename Vectors<Count>::Masks;
  PairLanes<Count> compiled_pair;
  PairLanes<Count> eager_reference;
  PairLanes<Count> compiled_reference;
  Lanes eager_squares{};
  Lanes compiled_squares{};
  Lanes reference_squares{};
  Lanes products{};
  Masks close = ~Masks{};
  for (std::int64_t i = 0; i < count; i += Count) {
    Lanes one;
    Lanes other;
    Lanes difference;
    std::memcpy(&one, eager + i, sizeof one);
    std::memcpy(&other, compiled + i, sizeof other);
    const auto one_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(one) & kMagnitude);
    const auto other_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(other) & kMagnitude);
    compiled_pair.add(one, one_size, other, other_size, limits.compiled, difference);
    close &= difference <= limits.absolute + limits.relative * other_size;
    eager_squares += one * one;
    compiled_squares += other * other;
    products += one * other;
    if constexpr (Reference) {
      Lanes third;
      std::memcpy(&third, reference + i, sizeof third);
      const auto third_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(third) & kMagnitude);
      eager_reference.add(third, third_size, one, one_size, limits.eager_reference, difference);
      compiled_reference.add(third, third_size, other, other_size, limits.compiled_reference, difference);
      reference_squares += third * third;
    }
  }
  compiled_pair.finish(sums.compiled);
  eager_reference.finish(sums.eager_reference);
  compiled_reference.finish(sums.compiled_reference);
  sums.all_close = true;
  for (int lane = 0; lane < Count; ++lane) {
    sums.eager += eager_squares[lane];
    sums.actual += compiled_squares[lane];
    sums.reference += reference_squares[lane];
    sums.product += products[lane];
    sums.all_close &= close[lane] != 0;
  }
}

template <int Count>
[[gnu::always_inline]] inline void gather(const double* eager, const double* compiled, const double* reference,
                                          std::int64_t count, const Limits& limits, Sums& sums) {
  if (reference == nullptr) {
    gather<Count, false>(eager, compiled, reference, count, limits, sums);
  } else {
    gather<Count, true>(eager, compiled, reference, count, limits, sums);
  }
}

constexpr std::int64_t kMostLanes = 8;  // blocks are gathered in multiples of these

[[gnu::always_inline]] inline void widen(const std::byte* from, std::int64_t count, double* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    to[i] = static_cast<double>(value);
  }
}

/// The upper half of a float32; false where one is subnormal, which a processor that flushes to zero would lose.
[[gnu::always_inline]] inline bool widen_brain(const std::byte* from, std::int64_t count, double* to) {
  int subnormal = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    to[i] = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    subnormal |= static_cast<int>((bits & 0x7f80U) == 0) & static_cast<int>((bits & 0x7fU) != 0);
  }
  return subnormal == 0;
}

void gather_narrow(const double* eager, const double* compiled, const double* reference, std::int64_t count,
                   const Limits& limits, Sums& sums) {
  gather<2>(eager, compiled, reference, count, limits, sums);
}

#ifdef __x86_64__
#define PARITYD_WIDE gnu::target("avx2,fma,f16c")

[[PARITYD_WIDE]] void gather_wide(const double* eager, const double* compiled, const double* reference,
                                  std::int64_t count, const Limits& limits, Sums& sums) {
  gather<4>(eager, compiled, reference, count, limits, sums);
}

[[gnu::target("avx512f,avx512dq")]] void gather_widest(const double* eager, const double* compiled,
                                                       const double* reference, std::int64_t count,
                                                       const Limits& limits, Sums& sums) {
  gather<8>(eager, compiled, reference, count, limits, sums);
}

[[PARITYD_WIDE]] void widen_wide(const std::byte* from, std::int64_t count, double* to) { widen(from, count, to); }
[[PARITYD_WIDE]] bool widen_brain_wide(const std::byte* from, std::int64_t count, double* to) {
  return widen_brain(from, count, to);
}

/// `count` is a multiple of 8. The instruction heeds no flush-to-zero, and float32 holds every float16 as a normal.
[[PARITYD_WIDE]] void widen_half_wide(const std::byte* from, std::int64_t count, double* to) {
  for (std::int64_t i = 0; i < count; i += 8) {
    __m128i bits;
    std::memcpy(&bits, from + 2 * i, sizeof bits);
    const __m256 values = _mm256_cvtph_ps(bits);
    _mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
    _mm256_storeu_pd(to + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)));
  }
}

/// Every processor with AVX2 has F16C, by which clang cannot ask.
bool is_wide() {
  static const bool wide = __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0;
  return wide;
}

bool is_widest() {
  static const bool widest =
      is_wide() && __builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512dq") > 0;
  return widest;
}
#endif

using Gather = void (*)(const double*, const double*, const double*, std::int64_t, const Limits&, Sums&);

Gather best_gather() {
#ifdef __x86_64__
  if (is_widest()) return gather_widest;
  if (is_wide()) return gather_wide;
#endif
  return gather_narrow;
}

/// Signs and quotients of a pair that the lanes only noticed. Of finite numbers.
void look_again(PairTotals& totals, const PairSums& sums, const double* expected, const double* actual,
                std::int64_t count, const Tolerance& tolerance) {
  if (!sums.signs && !sums.larger_quotients) return;
  for (std::int64_t i = 0; i < count; ++i) {
    totals.sign_differs += std::signbit(expected[i]) != std::signbit(actual[i]) ? 1 : 0;
    const double size = std::max(std::fabs(expected[i]), std::fabs(actual[i]));
    add_quotients(totals, std::fabs(expected[i] - actual[i]), size, tolerance);
  }
}

void take(PairTotals& totals, const PairSums& sums, double expected_squares, const double* expected,
          const double* actual, std::int64_t count, const Tolerance& tolerance) {
  totals.unequal += sums.unequal;
  totals.finite += count;
  totals.max_absolute = std::max(totals.max_absolute, sums.largest);
  totals.sum_difference += sums.differences;
  totals.sum_expected += expected_squares;
  look_again(totals, sums, expected, actual, count, tolerance);
}

Largest largest_of(const PairTotals& totals, const Tolerance& tolerance) {
  if (tolerance.absolute == 0 && tolerance.relative == 0)
    return {totals.max_relative, std::numeric_limits<double>::infinity(), 0};  // none counts
  return {totals.max_relative, totals.max_scaled * tolerance.absolute, totals.max_scaled * tolerance.relative};
}

}  // namespace

void negate(double* values, std::int64_t count, std::int64_t apart) {
  for (std::int64_t i = 0; i < count; ++i) values[i * apart] = -values[i * apart];
}

bool load(Dtype dtype, const std::byte* from, std::int64_t count, double* to) {
  if (dtype == Dtype::float64) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
    return true;
  }
#ifdef __x86_64__
  if (!is_wide()) return false;
  if (dtype == Dtype::float32) {
    widen_wide(from, count, to);
    return true;
  }
  if (dtype == Dtype::bfloat16) return widen_brain_wide(from, count, to);
  if (dtype == Dtype::float16 && count % 8 == 0) {
    widen_half_wide(from, count, to);
    return true;
  }
#endif
  return false;
}

bool add(LeafTotals& totals, const double* eager, const double* compiled, const double* reference, std::int64_t count,
         const Closeness& closeness, const Tolerances& tolerances, bool& all_close) {
  const std::int64_t whole = count / kMostLanes * kMostLanes;
  const Limits limits{largest_of(totals.compiled, tolerances.eager),
                      largest_of(totals.eager_reference, tolerances.reference),
                      largest_of(totals.compiled_reference, tolerances.reference),
                      closeness.certain * closeness.absolute, closeness.certain * closeness.relative};
  Sums sums;
  static const Gather gather_best = best_gather();
  gather_best(eager, compiled, reference, whole, limits, sums);
  if (whole < count) {  // what is left, padded with zeros
    std::array<std::array<double, kMostLanes>, 3> rest{};
    std::copy(eager + whole, eager + count, rest[0].begin());
    std::copy(compiled + whole, compiled + count, rest[1].begin());
    if (reference != nullptr) std::copy(reference + whole, reference + count, rest[2].begin());
    const bool close_so_far = sums.all_close;
    gather_best(rest[0].data(), rest[1].data(), reference != nullptr ? rest[2].data() : nullptr, kMostLanes, limits,
                sums);
    sums.all_close &= close_so_far;
  }
  // Any NaN or infinity ends in one of these sums.
  if (!std::isfinite(sums.compiled.differences + sums.eager_reference.differences +
                     sums.compiled_reference.differences + sums.eager + sums.actual + sums.reference))
    return false;
  take(totals.compiled, sums.compiled, sums.eager, eager, compiled, count, tolerances.eager);
  if (reference != nullptr) {
    take(totals.eager_reference, sums.eager_reference, sums.reference, reference, eager, count, tolerances.reference);
    take(totals.compiled_reference, sums.compiled_reference, sums.reference, reference, compiled, count,
         tolerances.reference);
  }
  totals.sum_product += sums.product;
  totals.sum_compiled += sums.actual;
  all_close = sums.all_close;
  return true;
}

}  // namespace parityd::oracle::block
