// The pass over three records: its numbers are those of the pairs alone, whatever the types and layouts.
#include <cmath>
#include <limits>
#include <random>

#include "oracle/measure/compare.h"
#include "oracle/measure/same.h"
#include "tests/catch.h"
#include "tests/oracle/measure/every_layout.h"

namespace parityd::oracle::test {
namespace {

void check_alike(const Measurement& fused, const Measurement& alone) {
  CHECK(fused.expected == alone.expected);
  CHECK(fused.actual == alone.actual);
  REQUIRE(fused.leaves.size() == alone.leaves.size());
  for (std::size_t i = 0; i < alone.leaves.size(); ++i) {
    const LeafMeasurement& one = fused.leaves[i];
    const LeafMeasurement& other = alone.leaves[i];
    CAPTURE(one.path);
    CHECK(one.elements == other.elements);
    CHECK(one.unequal == other.unequal);
    CHECK(one.nan_differs == other.nan_differs);
    CHECK(one.inf_differs == other.inf_differs);
    CHECK(one.sign_differs == other.sign_differs);
    CHECK(one.nan_bits == other.nan_bits);
    CHECK(alike(one.max_absolute, other.max_absolute));
    CHECK(alike(one.max_relative, other.max_relative));
    CHECK(alike(one.max_scaled, other.max_scaled));
    CHECK(alike(one.rms_difference, other.rms_difference));
    CHECK(alike(one.rms_expected, other.rms_expected));
    CHECK(one.exceeds_tolerance == other.exceeds_tolerance);
    CHECK(one.detail == other.detail);
  }
}

struct Fused {
  Measurement compiled, eager_reference, compiled_reference;
  SameAnswer same;
};

Fused fused(const RunRecord& eager, const RunRecord& compiled, const RunRecord& reference) {
  const Trio trio{&eager, &compiled, &reference};
  const MeasuredLeaves leaves = measure_leaves(eager, compiled, &reference);
  return {compare(eager, compiled, trio, leaves).value(), compare(reference, eager, trio, leaves).value(),
          compare(reference, compiled, trio, leaves).value(), same(eager, compiled, &reference, leaves)};
}

}  // namespace

TEST_CASE("one pass over three records equals three passes over pairs") {
  for (int i = 0; i <= static_cast<int>(Dtype::float8_e5m2fnuz); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    CAPTURE(name(dtype));
    Record eager(Mode::eager);
    Record compiled(Mode::inductor);
    Record equal(Mode::inductor);
    Record reference(Mode::reference);
    add_every_layout(eager, dtype, 1);
    add_every_layout(compiled, dtype, 2);
    add_every_layout(equal, dtype, 1);
    add_every_layout(reference, reference_dtype(dtype), 3);
    for (const RunRecord* actual : {&compiled.record(), &equal.record()}) {
      const Fused measured = fused(eager.record(), *actual, reference.record());
      check_alike(measured.compiled, compare(eager.record(), *actual));
      check_alike(measured.eager_reference, compare(reference.record(), eager.record()));
      check_alike(measured.compiled_reference, compare(reference.record(), *actual));
    }
  }
}

TEST_CASE("measurements agree with a plain loop over the elements") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<float> one(1003);
  std::vector<float> other(1003);
  double largest = 0;
  double relative = 0;
  double scaled = 0;
  const Tolerance tolerance = default_tolerance(Dtype::float32);
  double differences = 0;
  double squares = 0;
  std::int64_t signs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i] = static_cast<float>(normal(random));
    other[i] = i % 3 == 0 ? one[i] : static_cast<float>(normal(random));
    const double a = one[i];
    const double b = other[i];
    largest = std::max(largest, std::fabs(a - b));
    const double size = std::max(std::fabs(a), std::fabs(b));
    relative = std::max(relative, std::fabs(a - b) / size);
    scaled = std::max(scaled, std::fabs(a - b) / (tolerance.absolute + tolerance.relative * size));
    differences += (a - b) * (a - b);
    squares += a * a;
    signs += std::signbit(a) != std::signbit(b) ? 1 : 0;
  }
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  eager.tensor("output", Dtype::float32, one);
  compiled.tensor("output", Dtype::float32, other);
  const LeafMeasurement leaf = compare(eager.record(), compiled.record()).leaves.at(0);
  CHECK(leaf.max_absolute == largest);
  CHECK(alike(leaf.max_relative, relative));
  CHECK(alike(leaf.max_scaled, scaled));
  CHECK(alike(leaf.rms_difference, std::sqrt(differences / 1003)));
  CHECK(alike(leaf.rms_expected, std::sqrt(squares / 1003)));
  CHECK(leaf.sign_differs == signs);
  CHECK(leaf.unequal == 1003 - 335);
}

TEST_CASE("elements of a pair are measured by the tolerance of the expected side's dtype") {
  const bool finite = GENERATE(true, false);  // NaN takes its block the long way
  std::vector<float> one(1200, 1);
  std::vector<float> other(1200, 1);
  std::vector<double> third(1200, 1);
  one[3] = 1e6F;
  other[3] = 1e6F + 1;  // the largest difference, and one of few tolerances
  third[3] = 1e6;
  other[700] = 1.5F;
  third[700] = 1.75;
  other[900] = 1.25F;
  if (!finite) one[800] = other[800] = std::numeric_limits<float>::quiet_NaN();
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record reference(Mode::reference);
  eager.tensor("output", Dtype::float32, one);
  compiled.tensor("output", Dtype::float32, other);
  reference.tensor("output", Dtype::float64, third);
  const auto quotient = [](Dtype dtype, double a, double b) {
    const Tolerance tolerance = default_tolerance(dtype);
    return std::fabs(a - b) / (tolerance.absolute + tolerance.relative * std::max(a, b));
  };
  const Fused measured = fused(eager.record(), compiled.record(), reference.record());
  CHECK(measured.compiled.leaves.at(0).max_absolute == 1);
  CHECK(alike(measured.compiled.leaves.at(0).max_scaled, quotient(Dtype::float32, 1, 1.5)));
  CHECK(alike(measured.eager_reference.leaves.at(0).max_scaled, quotient(Dtype::float64, 1.75, 1)));
  CHECK(alike(measured.compiled_reference.leaves.at(0).max_scaled, quotient(Dtype::float64, 1, 1.25)));
}

TEST_CASE("squares that overflow keep their root, beside small ones too") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record reference(Mode::reference);
  eager.tensor("output", Dtype::float64, std::vector<double>{1e200, 1e200});
  compiled.tensor("output", Dtype::float64, std::vector<double>{1e200, 1e200});
  reference.tensor("output", Dtype::float64, std::vector<double>{3e200, 3e200});
  const Fused measured = fused(eager.record(), compiled.record(), reference.record());
  CHECK(measured.compiled.leaves.at(0).rms_difference == 0);
  CHECK(alike(measured.compiled.leaves.at(0).rms_expected, 1e200));
  CHECK(alike(measured.eager_reference.leaves.at(0).rms_difference, 2e200));
  CHECK(measured.same.verdict == true);
}

TEST_CASE("a leaf that differs in the reference is still compared between the others") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record reference(Mode::reference);
  eager.tensor("output[0]", Dtype::float32, std::vector<float>{1, 2});
  compiled.tensor("output[0]", Dtype::float32, std::vector<float>{1, 3});
  reference.tensor("output[0]", Dtype::float64, std::vector<double>{1, 2, 3});
  eager.tensor("output[1]", Dtype::int64, std::vector<std::int64_t>{1});
  compiled.tensor("output[1]", Dtype::int32, std::vector<std::int32_t>{1});
  reference.tensor("output[1]", Dtype::int64, std::vector<std::int64_t>{4});
  const Fused measured = fused(eager.record(), compiled.record(), reference.record());
  CHECK(measured.compiled.leaves.at(0).unequal == 1);
  CHECK(measured.eager_reference.leaves.at(0).shape_differs);
  CHECK(measured.compiled.leaves.at(1).dtype_differs);
  CHECK(measured.eager_reference.leaves.at(1).max_absolute == 3);
  CHECK_FALSE(measured.same.verdict.has_value());  // [2] and [3] do not broadcast: torch raises
}

}  // namespace parityd::oracle::test
