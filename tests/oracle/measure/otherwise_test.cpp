// What nobody promises, chosen otherwise: signs of zeros and NaNs, the answer to "am I compiled?", the stack.
#include "oracle/measure/otherwise.h"

#include <cmath>

#include "oracle/finding/disposition.h"
#include "oracle/rules/signature.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

/// What eager, compiled code and the runs of eager_otherwise made of one output.
struct Place {
  Record eager{Mode::eager};
  Record compiled{Mode::inductor};
  Record otherwise{Mode::eager_otherwise};

  [[nodiscard]] Evidence evidence() const {
    return evidence_from(Mode::inductor, {eager.record(), compiled.record(), otherwise.record()});
  }
  [[nodiscard]] Otherwise found() const {
    return evidence().measurement(Mode::eager, Mode::inductor)->leaves.at(0).otherwise;
  }
};

Otherwise of_floats(const Floats& eager, const Floats& compiled,
                    const std::vector<std::pair<std::string, Floats>>& runs) {
  Place place;
  place.eager.tensor("output", Dtype::float32, eager);
  place.compiled.tensor("output", Dtype::float32, compiled);
  for (const auto& [path, values] : runs) place.otherwise.tensor(path, Dtype::float32, values);
  return place.found();
}

Otherwise of_integers(const Integers& eager, const Integers& compiled,
                      const std::vector<std::pair<std::string, Integers>>& runs) {
  Place place;
  place.eager.tensor("output", Dtype::int64, eager);
  place.compiled.tensor("output", Dtype::int64, compiled);
  for (const auto& [path, values] : runs) place.otherwise.tensor(path, Dtype::int64, values);
  return place.found();
}

Evidence of_leaf(const std::string& path, Otherwise otherwise, Dtype dtype = Dtype::float32) {
  Evidence evidence = round_of();
  LeafMeasurement leaf = off_leaf(path, 1, dtype);
  leaf.otherwise = otherwise;
  for (const auto& [expected, actual] : {std::pair{Mode::eager, Mode::inductor},
                                         {Mode::eager, Mode::inductor_precise},
                                         {Mode::reference, Mode::inductor_fp64}})
    measure(evidence, expected, actual, {leaf});
  return evidence;
}

}  // namespace

TEST_CASE("a sign that compiled code gives each element explains only that") {
  CHECK(of_floats({1, 2}, {-1, 2}, {{"zero[0].output", {-1, -2}}}) == Otherwise::zero);
  CHECK(of_floats({1, 2}, {-1, -2}, {{"zero[0].output", {-1, 2}}, {"zero[1].output", {1, -2}}}) == Otherwise::zero);
  CHECK(of_floats({1, 2}, {-1, 3}, {{"zero[0].output", {-1, -2}}}) == Otherwise::nothing);
  CHECK(of_floats({1, 2}, {0.5, 2}, {{"zero[0].output", {-1, 2}}}) == Otherwise::nothing);
  CHECK(of_floats({1, 2}, {-1.0000001F, 2}, {{"zero[0].output", {-1, 2}}}) == Otherwise::zero);
  CHECK(of_floats({INFINITY}, {-INFINITY}, {{"zero[0].output", {-INFINITY}}}) == Otherwise::zero);
  CHECK(of_floats({1}, {-1}, {{"nan[0].output", {-1}}}) == Otherwise::nan);
  CHECK(of_floats({1}, {-1}, {{"zero[0].output[0]", {-1}}, {"zero[x].output", {-1}}}) == Otherwise::nothing);
  CHECK(of_floats({1}, {-1}, {}) == Otherwise::nothing);
}

TEST_CASE("a number of signs may lie in between, bits of another dtype may not") {
  CHECK(of_integers({0}, {3}, {{"zero[0].output", {5}}}) == Otherwise::zero);
  CHECK(of_integers({0}, {7}, {{"zero[0].output", {5}}}) == Otherwise::nothing);
  CHECK(of_integers({0}, {-5}, {{"zero[0].output", {-2147483648}}}) == Otherwise::nothing);
  CHECK(of_integers({0}, {-2147483648}, {{"zero[0].output", {-2147483648}}}) == Otherwise::zero);
}

TEST_CASE("another shape is explained by a run that has it with its values") {
  CHECK(of_floats({1, 2}, {1}, {{"zero[0].output", {1}}}) == Otherwise::zero);
  CHECK(of_floats({1, 2}, {5}, {{"zero[0].output", {1}}}) == Otherwise::nothing);
}

TEST_CASE("with observations one run explains the whole leaf, with a stack it only has to move") {
  CHECK(of_floats({1, 2}, {2, 4}, {{"told[0].output", {2, 4}}}) == Otherwise::told);
  CHECK(of_floats({1, 2}, {2, 4}, {{"told[0].output", {2, 2}}, {"told[1].output", {1, 4}}}) == Otherwise::nothing);
  CHECK(of_floats({1, 2}, {2, 4}, {{"kept[0].output", {2, 4}}}) == Otherwise::kept);
  CHECK(of_floats({1, 2}, {2, 4}, {{"kept[0].output", {2, 2}}}) == Otherwise::nothing);
  CHECK(of_floats({1, 2}, {2, 4}, {{"stack[0].output", {7, 9}}}) == Otherwise::stack);
  CHECK(of_floats({1, 2}, {2, 4}, {{"stack[0].output", {7, 2}}}) == Otherwise::nothing);
}

TEST_CASE("a leaf that only one side has is explained by a run that also has or lacks it") {
  Place place;
  place.eager.tensor<float>("output[0]", Dtype::float32, {1});
  place.otherwise.tensor<float>("told[0].output[1]", Dtype::float32, {1});
  place.compiled.tensor<float>("output[1]", Dtype::float32, {1});
  const Evidence evidence = place.evidence();
  for (const char* const path : {"output[0]", "output[1]"})
    CHECK(evidence.leaf(Mode::eager, Mode::inductor, path)->otherwise == Otherwise::told);
}

TEST_CASE("programs that inspect the difference are excused, and so is the sign of a NaN") {
  CHECK(judge(of_leaf("output", Otherwise::told)).rule == "documented.asks_if_compiled");
  CHECK(judge(of_leaf("output", Otherwise::stack)).rule == "documented.asks_if_compiled");
  CHECK(judge(of_leaf("gradient.x", Otherwise::kept)).rule == "documented.checkpoint");
  CHECK(judge(of_leaf("gradient.x", Otherwise::kept), {"documented.checkpoint"}).kind == Kind::gradient);
  CHECK(judge(of_leaf("output", Otherwise::kept)).kind == Kind::numerical);
  CHECK(judge(of_leaf("output", Otherwise::nan)).rule == "numbers.nan_sign");
  CHECK(judge(of_leaf("output", Otherwise::told), {"documented.asks_if_compiled"}).kind == Kind::numerical);
  Evidence beside = of_leaf("output", Otherwise::told);
  for (Measurement& measurement : beside.measurements) measurement.leaves.push_back(off_leaf("output[1]", 1));
  CHECK(judge(beside).leaves == std::vector<std::string>{"output[1]"});
  CHECK(judge(beside).kind == Kind::numerical);
}

TEST_CASE("an error is excused if eager ends in the same way with the answer changed") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::inductor] = raised(Step::forward, "ValueError", "compiled");
  evidence.outcomes[Mode::eager_otherwise] = ran(0);
  CHECK(judge(evidence).kind == Kind::behaviour);
  evidence.outcomes[Mode::eager_otherwise].observations = {{"told_otherwise", "ValueError", 1, {"program"}}};
  CHECK(judge(evidence).rule == "documented.asks_if_compiled");
  evidence.outcomes[Mode::eager_otherwise].observations[0].rule = "kept_otherwise";
  CHECK(judge(evidence).kind == Kind::behaviour);
  evidence.outcomes[Mode::eager_otherwise].observations[0].operator_name = "ValueError: comp";
  CHECK(judge(evidence).rule == "documented.checkpoint");
  evidence.outcomes[Mode::eager_otherwise].observations[0].operator_name = "ValueError: eager";
  CHECK(judge(evidence).kind == Kind::behaviour);
  evidence.outcomes[Mode::eager_otherwise].observations[0].operator_name = "TypeError";
  CHECK(judge(evidence).kind == Kind::behaviour);
}

TEST_CASE("different memory sharing is excused if the answer explains it") {
  Evidence evidence = of_leaf("output", Otherwise::stack);
  LeafMeasurement input = same_leaf("input_after[0]");
  input.alias_differs = true;
  evidence.measurements[0].leaves.push_back(input);
  CHECK(judge(evidence).verdict == VerdictKind::excused);
  evidence.measurements[0].leaves[0].otherwise = Otherwise::told;
  CHECK(judge(evidence).rule == "metadata.aliasing");
  evidence.measurements[0].leaves[1].otherwise = Otherwise::told;
  CHECK(judge(evidence).verdict == VerdictKind::excused);
}

TEST_CASE("the sign of zero is considered last and belongs to its umbrella") {
  Evidence evidence = of_leaf("output[0]", Otherwise::zero);
  Verdict verdict = judge(evidence);
  CHECK(verdict.rule == "numbers.zero_sign");
  CHECK(dispose(verdict, evidence).disposition.text() == "umbrella(189799)");
  CHECK(tells_of_zero_sign(raw_signature(verdict, evidence, Stage::inductor, "cpu")));
  for (Measurement& measurement : evidence.measurements) measurement.leaves.push_back(off_leaf("output[1]", 1));
  verdict = judge(evidence);
  CHECK(verdict.rule == "numbers.double_run");
  CHECK(verdict.leaves == std::vector<std::string>{"output[1]"});
  CHECK(dispose(verdict, evidence).disposition.text() == "ready");
  CHECK_FALSE(tells_of_zero_sign(raw_signature(verdict, evidence, Stage::inductor, "cpu")));
}

TEST_CASE("a shape that the sign of zero decides is judged in the same way") {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf("output");
  leaf.shape_differs = true;
  leaf.otherwise = Otherwise::zero;
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  CHECK(judge(evidence).rule == "metadata.zero_sign");
  evidence.measurements[0].leaves[0].otherwise = Otherwise::nan;
  CHECK(judge(evidence).rule == "numbers.nan_sign");
}

}  // namespace parityd::oracle::test
