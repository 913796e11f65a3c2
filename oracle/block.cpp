#include "oracle/block.h"

#include <cstring>
#include <limits>

namespace parityd::oracle::block {
namespace {

constexpr std::int64_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Masks = std::int64_t __attribute__((vector_size(kLanes * sizeof(double))));

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int64_t kMagnitude = std::numeric_limits<std::int64_t>::max();  // all bits but the sign

/// What the lanes of add_pairs() come to, for finite elements.
struct Gathered {
  std::int64_t unequal, sign_differs;
  double largest, sum_difference, sum_expected;
  bool all_finite, new_relative;
};

template <typename Vector>
[[gnu::always_inline]] inline auto sum(const Vector& lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// `count` is a multiple of the lanes.
[[gnu::always_inline]] inline void gather(const double* expected, const double* actual, std::int64_t count,
                                          double best_relative, Gathered& gathered) {
  Lanes largest{};
  Lanes differences{};
  Lanes squares{};
  Masks unequal{};
  Masks signs{};
  Masks finite = ~Masks{};
  Masks exceeds{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Lanes one;
    Lanes other;
    std::memcpy(&one, expected + i, sizeof one);
    std::memcpy(&other, actual + i, sizeof other);
    const Lanes apart = one - other;
    const auto difference = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(apart) & kMagnitude);
    const auto one_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(one) & kMagnitude);
    const auto other_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(other) & kMagnitude);
    finite &= difference <= kLargest;  // a difference of finite numbers, or one that the long way must see
    exceeds |= (difference > best_relative * one_size) & (difference > best_relative * other_size);
    largest = difference > largest ? difference : largest;
    differences += apart * apart;
    squares += one * one;
    unequal -= one != other;
    signs -= (reinterpret_cast<Masks>(one) ^ reinterpret_cast<Masks>(other)) < 0;
  }
  gathered.unequal = sum(unequal);
  gathered.sign_differs = sum(signs);
  gathered.sum_difference = sum(differences);
  gathered.sum_expected = sum(squares);
  gathered.largest = 0;
  gathered.all_finite = true;
  gathered.new_relative = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (largest[lane] > gathered.largest) gathered.largest = largest[lane];
    gathered.all_finite &= finite[lane] != 0;
    gathered.new_relative |= exceeds[lane] != 0;
  }
}

/// `count` is a multiple of the lanes.
[[gnu::always_inline]] inline void measure_nearness(const double* eager, const double* compiled, std::int64_t count,
                                                    const Closeness& closeness, Nearness& nearness) {
  const double absolute = closeness.certain * closeness.absolute;
  const double relative = closeness.certain * closeness.relative;
  Lanes products{};
  Lanes squares{};
  Masks close = ~Masks{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Lanes one;
    Lanes other;
    std::memcpy(&one, eager + i, sizeof one);
    std::memcpy(&other, compiled + i, sizeof other);
    const Lanes apart = one - other;
    const auto difference = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(apart) & kMagnitude);
    const auto other_size = reinterpret_cast<Lanes>(reinterpret_cast<Masks>(other) & kMagnitude);
    close &= (difference <= absolute + relative * other_size) & (difference <= kLargest);
    products += one * other;
    squares += other * other;
  }
  nearness = {true, sum(products), sum(squares)};
  for (int lane = 0; lane < kLanes; ++lane) nearness.all_close &= close[lane] != 0;
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void gather_wide(const double* expected, const double* actual, std::int64_t count,
                                         double best_relative, Gathered& gathered) {
  gather(expected, actual, count, best_relative, gathered);
}

[[gnu::target("avx2")]] void nearness_wide(const double* eager, const double* compiled, std::int64_t count,
                                           const Closeness& closeness, Nearness& nearness) {
  measure_nearness(eager, compiled, count, closeness, nearness);
}

bool is_wide() {
  static const bool wide = __builtin_cpu_supports("avx2") > 0;
  return wide;
}
#endif

void gather_any(const double* expected, const double* actual, std::int64_t count, double best, Gathered& gathered) {
#ifdef __x86_64__
  if (is_wide()) return gather_wide(expected, actual, count, best, gathered);
#endif
  gather(expected, actual, count, best, gathered);
}

void nearness_any(const double* eager, const double* compiled, std::int64_t count, const Closeness& closeness,
                  Nearness& nearness) {
#ifdef __x86_64__
  if (is_wide()) return nearness_wide(eager, compiled, count, closeness, nearness);
#endif
  measure_nearness(eager, compiled, count, closeness, nearness);
}

void add_singly(PairTotals& totals, const double* expected, const double* actual, std::int64_t from, std::int64_t to,
                double scale) {
  for (std::int64_t i = from; i < to; ++i) add_pair(totals, expected[i], actual[i], scale);
}

}  // namespace

void negate(double* values, std::int64_t count, std::int64_t apart) {
  for (std::int64_t i = 0; i < count; ++i) values[i * apart] = -values[i * apart];
}

void add_pairs(PairTotals& totals, const double* expected, const double* actual, std::int64_t count, double scale) {
  const std::int64_t whole = count / kLanes * kLanes;
  if (scale != 1) return add_singly(totals, expected, actual, 0, count, scale);
  Gathered gathered{};
  gather_any(expected, actual, whole, totals.max_relative, gathered);
  if (!gathered.all_finite) return add_singly(totals, expected, actual, 0, count, scale);
  if (gathered.new_relative) {
    PairTotals block;
    block.max_relative = totals.max_relative;
    add_singly(block, expected, actual, 0, whole, scale);
    totals.max_relative = block.max_relative;
  }
  totals.unequal += gathered.unequal;
  totals.sign_differs += gathered.sign_differs;
  totals.finite += whole;
  totals.max_absolute = gathered.largest > totals.max_absolute ? gathered.largest : totals.max_absolute;
  totals.sum_difference += gathered.sum_difference;
  totals.sum_expected += gathered.sum_expected;
  add_singly(totals, expected, actual, whole, count, scale);
}

Nearness nearness(const double* eager, const double* compiled, std::int64_t count, const Closeness& closeness) {
  Nearness nearness;
  const std::int64_t whole = count / kLanes * kLanes;
  nearness_any(eager, compiled, whole, closeness, nearness);
  for (std::int64_t i = whole; i < count; ++i) {
    const double difference = std::fabs(eager[i] - compiled[i]);
    const double allowed = closeness.certain * (closeness.absolute + closeness.relative * std::fabs(compiled[i]));
    nearness.all_close &= difference <= allowed && difference <= kLargest;
    nearness.product += eager[i] * compiled[i];
    nearness.compiled += compiled[i] * compiled[i];
  }
  return nearness;
}

}  // namespace parityd::oracle::block
