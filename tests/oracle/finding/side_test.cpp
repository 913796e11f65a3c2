#include "oracle/finding/side.h"

#include <limits>

#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

/// A round whose one leaf is `eager` and `compiled` away from the reference, and `in_double` in the double runs.
Evidence distances(double eager, double compiled, double in_double) {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1)});
  measure(evidence, Mode::reference, Mode::eager, {off_leaf("output", eager, Dtype::float64)});
  measure(evidence, Mode::reference, Mode::inductor, {off_leaf("output", compiled, Dtype::float64)});
  measure(evidence, Mode::reference, Mode::inductor_fp64, {off_leaf("output", in_double, Dtype::float64)});
  return evidence;
}

Verdict numbers() { return {VerdictKind::inconsistent, Kind::numerical, "numbers.double_run", "", {"output"}}; }

Side side(const Evidence& evidence) { return side_of(numbers(), evidence).side; }

}  // namespace

TEST_CASE("outcomes identify the wrong side") {
  Evidence evidence;
  const auto of = [&](Kind kind, const Outcome& eager, const Outcome& compiled) {
    evidence.outcomes[Mode::eager] = eager;
    evidence.outcomes[Mode::inductor] = compiled;
    return side_of({VerdictKind::inconsistent, kind, "outcome", "", {}}, evidence);
  };
  CHECK(of(Kind::missing_check, died(Step::forward, 11), ran()).side == Side::eager);
  CHECK(of(Kind::missing_check, died(Step::forward, 11), ran()).rule == "side.eager_died");
  CHECK(of(Kind::missing_check, raised(Step::forward, "AcceleratorError", "CUDA error: device-side assert triggered"),
           ran())
            .side == Side::eager);
  CHECK(of(Kind::missing_check, raised(Step::forward, "IndexError", "x"), ran()).side == Side::compiled);
  CHECK(of(Kind::behaviour, ran(), raised(Step::compile, "E", "x")).side == Side::compiled);
  CHECK(of(Kind::crash, ran(), died(Step::forward, 11)).side == Side::compiled);
  CHECK(of(Kind::hang, ran(), hung(Step::compile)).side == Side::compiled);
}

TEST_CASE("the double runs of both sides are two witnesses") {
  CHECK(side(distances(1, 1e-7, 1e-15)) == Side::eager);
  CHECK(side_of(numbers(), distances(1, 1e-7, 1e-15)).rule == "side.double");
  CHECK(side(distances(1e-7, 1, 1e-15)) == Side::compiled);
  CHECK(side(distances(1e-7, 1, 1)) == Side::compiled);
}

TEST_CASE("eager is not blamed because of one witness, of rounding, or for all leaves because of one") {
  CHECK(side(distances(1, 1e-7, 1)) == Side::unknown);     // the double runs contradict each other
  CHECK(side(distances(1, 0.5, 1e-15)) == Side::unknown);  // both are far
  CHECK(side(distances(1e-7, 1e-8, 1e-15)) == Side::unknown);
  CHECK(side(distances(1e-5, 5e-6, 1e-15)) == Side::unknown);  // rounding on both sides
  Evidence unmeasured = distances(1, 1e-7, 1e-15);
  unmeasured.measurements.pop_back();
  CHECK(side(unmeasured) == Side::unknown);
  Evidence two = distances(1, 1e-7, 1e-15);
  two.measurements[0].leaves.push_back(off_leaf("output[1]", 1));
  Verdict both = numbers();
  both.leaves.emplace_back("output[1]");
  CHECK(side_of(both, two).side == Side::unknown);
}

TEST_CASE("NaN and integers that only eager gets wrong blame eager") {
  Evidence evidence = distances(0, 0, 0);
  evidence.measurements[1].leaves[0].nan_differs = 2;
  CHECK(side(evidence) == Side::eager);
  Evidence integers = round_of();
  LeafMeasurement wrong = same_leaf("output", Dtype::int64);
  wrong.unequal = 4;
  const LeafMeasurement right = same_leaf("output", Dtype::int64);
  measure(integers, Mode::eager, Mode::inductor, {wrong});
  measure(integers, Mode::reference, Mode::eager, {wrong});
  measure(integers, Mode::reference, Mode::inductor, {right});
  measure(integers, Mode::reference, Mode::inductor_fp64, {right});
  CHECK(side(integers) == Side::eager);
  integers.measurements[1].leaves[0] = right;
  integers.measurements[2].leaves[0] = wrong;
  CHECK(side(integers) == Side::compiled);
}

}  // namespace parityd::oracle::test
