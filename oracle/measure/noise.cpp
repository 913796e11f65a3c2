#include "oracle/measure/noise.h"

#include <cmath>
#include <limits>

#include "oracle/measure/leaf_values.h"
#include "oracle/measure/totals.h"

namespace parityd::oracle {
namespace {

constexpr double kFartherThanNoise = 2;
constexpr double kLeap = 64;  // last places; noise itself goes up to 16

using Values = std::vector<double>;

/// NaN and infinities are infinitely far from anything else.
double apart(double one, double other) {
  if (one == other || (std::isnan(one) && std::isnan(other))) return 0;
  const double distance = std::fabs(one - other);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

/// Of floating values: how many differ by more than their tolerance and are not carried as far by noise that makes them
/// leap. What noise moves by a few last places, or by what cancels, says nothing of a difference of that size.
std::int64_t beyond_leaps(const Values& eager, const Values& compiled, const Values& noise,
                          const LeafMeasurement& leaf) {
  const Tolerance tolerance = default_tolerance(leaf.dtype);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double size = std::fmax(std::fabs(eager[i]), leaf.rms_expected);
    const double difference = apart(compiled[i], eager[i]);
    if (difference <= allowed_by(tolerance, std::fmax(std::fabs(eager[i]), std::fabs(compiled[i])))) continue;
    const double moved = apart(noise[i], eager[i]);
    if (moved <= kLeap * epsilon(leaf.dtype) * size || difference > kFartherThanNoise * moved) ++count;
  }
  return count;
}

std::int64_t beyond(const Values& eager, const Values& compiled, const Values& noise) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double difference = std::fabs(compiled[i] - eager[i]);
    if (difference > kFartherThanNoise * std::fabs(noise[i] - eager[i])) ++count;
  }
  return count;
}

}  // namespace

void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise) {
  for (LeafMeasurement& leaf : measured.leaves) {
    if (leaf.unequal == 0) continue;
    const Leaf* const one = eager.find(leaf.path);
    const Leaf* const other = compiled.find(leaf.path);
    const Leaf* const drawn = noise.find(leaf.path);
    if (one == nullptr || other == nullptr || drawn == nullptr) continue;
    const auto expected = values_of(eager, *one);
    const auto actual = values_of(compiled, *other);
    const auto far = values_of(noise, *drawn);
    if (!expected || !actual || !far) continue;
    if (expected->size() != actual->size() || expected->size() != far->size()) continue;
    leaf.beyond_noise =
        is_exact(leaf.dtype) ? beyond(*expected, *actual, *far) : beyond_leaps(*expected, *actual, *far, leaf);
  }
}

}  // namespace parityd::oracle
