// Discontinuities: rounding noise excuses integers element by element, and nothing else.
#include "oracle/measure/otherwise.h"

#include <cmath>

#include "oracle/finding/disposition.h"
#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using Integers = std::vector<std::int32_t>;

std::int64_t beyond(const Integers& eager, const Integers& compiled, const Integers& noise) {
  Record one(Mode::eager);
  Record other(Mode::inductor);
  Record drawn(Mode::eager_noise);
  one.tensor("output", Dtype::int32, eager);
  other.tensor("output", Dtype::int32, compiled);
  drawn.tensor("output", Dtype::int32, noise);
  const Evidence evidence = evidence_from(Mode::inductor, {one.record(), other.record(), drawn.record()});
  return evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).beyond_noise;
}

/// One integer leaf that differs, as much in double as said.
Evidence integers(std::int64_t beyond_noise, double in_double) {
  Evidence evidence = round_of();
  LeafMeasurement leaf = off_leaf("output", 1, Dtype::int32);
  leaf.beyond_noise = beyond_noise;
  leaf.unequal = 2;
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  measure(evidence, Mode::eager, Mode::inductor_precise, {leaf});
  measure(evidence, Mode::reference, Mode::inductor_fp64, {off_leaf("output", in_double, Dtype::int32)});
  return evidence;
}

}  // namespace

TEST_CASE("elements that noise does not move as far as the difference are counted") {
  CHECK(beyond({1, 2, 3}, {1, 2, 3}, {1, 2, 3}) == -1);  // nothing differs: not asked
  CHECK(beyond({1, 2, 3}, {1, 3, 3}, {1, 3, 3}) == 0);
  CHECK(beyond({1, 2, 3}, {1, 3, 3}, {1, 1, 3}) == 0);  // the other way, as far
  CHECK(beyond({1, 2, 3}, {1, 3, 3}, {2, 2, 4}) == 1);  // noise elsewhere excuses nothing here
  CHECK(beyond({1, 2, 3}, {1, 4, 3}, {1, 3, 3}) == 0);
  CHECK(beyond({1, 2, 3}, {1, 5, 3}, {1, 3, 3}) == 1);  // three times as far
  CHECK(beyond({1, 2, 3}, {9, 9, 9}, {1, 2, 3}) == 3);
  CHECK(beyond({1, 2, 3}, {9, 9, 9}, {1, 2}) == -1);  // another shape
}

TEST_CASE("elements are matched by index, whatever the strides") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record noise(Mode::eager_noise);
  eager.view("output", Dtype::int32, eager.storage(Integers{1, 2, 3, 4}), {2, 2}, {2, 1});
  compiled.view("output", Dtype::int32, compiled.storage(Integers{1, 3, 7, 4}), {2, 2}, {1, 2});
  noise.view("output", Dtype::int32, noise.storage(Integers{0, 1, 3, 7, 4}), {2, 2}, {1, 2}, 1);
  const Evidence evidence = evidence_from(Mode::inductor, {eager.record(), compiled.record(), noise.record()});
  CHECK(evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).unequal == 1);
  CHECK(evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).beyond_noise == 0);
}

TEST_CASE("Python integers are elements too") {
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record noise(Mode::eager_noise);
  for (Record* const record : {&eager, &compiled, &noise}) {
    record->value("output[0]", "int", record == &eager ? "3" : "4");
    record->value("output[1]", "bool", record == &compiled ? "True" : "False");
  }
  const Evidence evidence = evidence_from(Mode::inductor, {eager.record(), compiled.record(), noise.record()});
  const Measurement& measured = *evidence.measurement(Mode::eager, Mode::inductor);
  CHECK(measured.find("output[0]")->beyond_noise == 0);
  CHECK(measured.find("output[1]")->beyond_noise == 1);
}

TEST_CASE("noise excuses integers, but a wrong branch that noise cannot cause counts even if double agrees") {
  CHECK(judge(integers(0, 1)).rule == "numbers.noise");
  CHECK(judge(integers(0, 0)).rule == "numbers.noise");
  CHECK(judge(integers(2, 0)).rule == "numbers.beyond_noise");
  CHECK(judge(integers(2, 1)).rule == "numbers.double_run");
  CHECK(judge(integers(1, 0)).rule == "numbers.rounding_double");   // a few draws do not hit everything
  CHECK(judge(integers(-1, 0)).rule == "numbers.rounding_double");  // no noise was tried
  CHECK(judge(integers(0, 1), {"numbers.noise"}).kind == Kind::numerical);
}

TEST_CASE("floats count as explained where noise makes them jump") {
  const auto beyond_of = [](float compiled, float noise) {
    Record one(Mode::eager);
    Record other(Mode::inductor);
    Record drawn(Mode::eager_noise);
    one.tensor<float>("output", Dtype::float32, {1, 2});
    other.tensor<float>("output", Dtype::float32, {compiled, 2});
    drawn.tensor<float>("output", Dtype::float32, {noise, 2});
    const Evidence evidence = evidence_from(Mode::inductor, {one.record(), other.record(), drawn.record()});
    return evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).beyond_noise;
  };
  CHECK(beyond_of(3, 3) == 0);
  CHECK(beyond_of(3, 0) == 0);
  CHECK(beyond_of(9, 3) == 1);
  CHECK(beyond_of(3, 1) == 1);
  CHECK(beyond_of(1.000001F, 1) == 0);  // within tolerance
  CHECK(beyond_of(1.0001F, 1.00006F) == 0);
  CHECK(beyond_of(1.00002F, 1.000005F) == 1);  // last places, no leap
  CHECK(beyond_of(NAN, 3) == 1);
  CHECK(beyond_of(NAN, NAN) == 0);
}

TEST_CASE("without a double run a jump or number of elements that noise also causes is rounding") {
  Evidence evidence = integers(0, 0);
  evidence.measurements.pop_back();
  for (Measurement& measurement : evidence.measurements) measurement.leaves[0].dtype = Dtype::float32;
  CHECK(judge(evidence).rule == "numbers.noise");
  evidence.measurements[0].leaves[0].beyond_noise = 1;
  CHECK(judge(evidence).rule == "numbers.no_double_run");
  LeafMeasurement other = same_leaf("output");
  other.shape_differs = true;
  measure(evidence, Mode::eager, Mode::eager_noise, {other});
  CHECK(judge(evidence).rule == "numbers.rounding_decides");
  evidence.measurements.pop_back();
  measure(evidence, Mode::reference, Mode::eager, {other});
  CHECK(judge(evidence).rule == "numbers.rounding_decides");
}

TEST_CASE("without a double run an integer is held unless nothing in the program rounds") {
  Evidence evidence = integers(2, 0);
  evidence.measurements.pop_back();
  const Verdict verdict = judge(evidence);
  CHECK(verdict.rule == "numbers.no_double_run");
  CHECK(dispose(verdict, evidence).disposition.text() == "held(rounding)");
  measure(evidence, Mode::eager, Mode::eager_noise, {same_leaf("output", Dtype::int32)});
  CHECK(dispose(verdict, evidence).disposition.text() == "ready");
  evidence.measurements.back().leaves.push_back(off_leaf("output[1]", 1e-6));
  CHECK(dispose(verdict, evidence).disposition.text() == "held(rounding)");
  evidence.measurements[0].leaves[0].beyond_noise = 1;  // half of them
  CHECK(judge(evidence).rule == "numbers.noise");
}

TEST_CASE("without a double run a shape that noise does not change is held unless nothing in the program rounds") {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf("output");
  leaf.shape_differs = true;
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  const auto disposed = [&] { return dispose(judge(evidence), evidence).disposition.text(); };
  CHECK(disposed() == "ready");
  evidence.outcomes.erase(Mode::inductor_fp64);
  CHECK(disposed() == "held(rounding)");
  measure(evidence, Mode::eager, Mode::eager_noise, {same_leaf("output"), off_leaf("output[1]", 1e-6)});
  evidence.outcomes[Mode::eager_noise] = ran(0);
  CHECK(disposed() == "held(rounding)");
  evidence.outcomes[Mode::inductor_fp64] = ran(1);
  CHECK(disposed() == "ready");
  evidence.outcomes.erase(Mode::inductor_fp64);
  evidence.measurements.back().leaves = {same_leaf("output")};
  CHECK(disposed() == "ready");
}

TEST_CASE("noise does not excuse a float that is wrong in double too") {
  Evidence evidence = integers(0, 1);
  for (Measurement& measurement : evidence.measurements) measurement.leaves[0].dtype = Dtype::float32;
  CHECK(judge(evidence).kind == Kind::numerical);
}

TEST_CASE("a shape depends on rounding if noise changes it, and not otherwise, even if double agrees") {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf("output");
  leaf.shape_differs = true;
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  measure(evidence, Mode::eager, Mode::inductor_precise, {leaf});
  measure(evidence, Mode::reference, Mode::inductor_fp64, {same_leaf("output")});
  CHECK(judge(evidence).rule == "metadata.rounding_decides_shape");
  measure(evidence, Mode::eager, Mode::eager_noise, {same_leaf("output")});
  CHECK(judge(evidence).kind == Kind::metadata);
  evidence.measurements.back().leaves = {leaf};
  CHECK(judge(evidence).rule == "metadata.rounding_decides_shape");
  CHECK(judge(evidence, {"metadata.rounding_decides_shape"}).kind == Kind::metadata);
}

TEST_CASE("an error that noise adds or removes depends on rounding") {
  Evidence evidence = round_of();
  const Outcome bounds = raised(Step::forward, "IndexError", "index 4 is out of bounds");
  evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = bounds;
  evidence.outcomes[Mode::eager_noise] = bounds;
  CHECK(judge(evidence).kind == Kind::missing_check);
  evidence.outcomes[Mode::eager_noise] = ran(0);
  CHECK(judge(evidence).rule == "outcome.rounding_decides");

  evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = ran(0);
  evidence.outcomes[Mode::inductor] = raised(Step::compile, "InductorError", "x");
  evidence.outcomes[Mode::eager_noise] = bounds;
  CHECK(judge(evidence).kind == Kind::behaviour);  // the compiler's own error is another one
  evidence.outcomes[Mode::inductor] = bounds;
  CHECK(judge(evidence).rule == "outcome.rounding_decides");
}

TEST_CASE("the program's own check counts if noise never triggered it") {
  Evidence evidence = round_of();
  Outcome own = raised(Step::forward, "ValueError", "above");
  own.error->user_source = "raise ValueError('above')";
  evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = own;
  CHECK(judge(evidence).rule == "outcome.rounding_decides");
  evidence.outcomes[Mode::eager_noise] = own;
  CHECK(judge(evidence).kind == Kind::missing_check);
}

TEST_CASE("compiled code may drop eager's error in dead code") {
  Evidence evidence = round_of();
  Outcome bounds = raised(Step::forward, "IndexError", "index 4 is out of bounds");
  evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = bounds;
  CHECK(judge(evidence).kind == Kind::missing_check);
  evidence.outcomes[Mode::eager].error->dead = true;
  CHECK(judge(evidence).rule == "outcome.dead_code");
  CHECK(judge(evidence, {"outcome.dead_code"}).kind == Kind::missing_check);
  evidence.outcomes[Mode::inductor] = died(Step::forward, 11);
  CHECK(judge(evidence).kind == Kind::crash);
}

}  // namespace parityd::oracle::test
