// Rule 2: the spread of operators known to be nondeterministic is learnt from the repeat, leaf by leaf.
#include "oracle/rules/allowances.h"

#include "oracle/rules/excuses.h"
#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

/// A round with one operator captured whose leaf is `compiled` away from eager, and eager's repeat `repeat`.
Evidence spread(const std::string& captured, const LeafMeasurement& compiled, const LeafMeasurement& repeat) {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::inductor].operators = {"aten.add.Tensor", captured};
  measure(evidence, Mode::eager, Mode::inductor, {compiled});
  measure(evidence, Mode::eager, Mode::eager_repeat, {repeat});
  return evidence;
}

Evidence spread(const std::string& captured, double compiled, double repeat) {
  return spread(captured, off_leaf("output", compiled), off_leaf("output", repeat));
}

}  // namespace

TEST_CASE("each operator of the table raises the threshold under its own excuse") {
  for (const auto& row : nondeterministic_operators()) {
    CAPTURE(row.name);
    const Evidence evidence = spread("aten." + std::string(row.name) + ".default", 0.2, 0.1);
    CHECK(judge(evidence).rule == row.excuse());
    CHECK(judge(evidence).verdict == VerdictKind::excused);
    CHECK(is_excuse(row.excuse()));
    CHECK(judge(evidence, {std::string(row.excuse())}).rule == "stability.eager_repeat");
  }
}

TEST_CASE("graph names: overloads, in-place forms and Dynamo's methods are recognised") {
  for (const char* captured : {"aten.index_put_.default", "aten._unsafe_index_put.default", "Tensor.index_put_",
                               "torch.index_add", "aten._adaptive_avg_pool2d_backward.default"}) {
    CAPTURE(captured);
    CHECK(judge(spread(captured, 0.2, 0.1)).verdict == VerdictKind::excused);
  }
  CHECK(judge(spread("aten.index_put_elsewhere.default", 0.2, 0.1)).rule == "stability.eager_repeat");
}

TEST_CASE("beyond four times the spread compiled code is wrong, and the other rules apply") {
  CHECK(judge(spread("aten.index_add.default", 0.4, 0.1)).verdict == VerdictKind::excused);
  CHECK(judge(spread("aten.index_add.default", 0.5, 0.1)).kind == Kind::numerical);
  CHECK(judge(spread("aten.index_add.default", 0, 0.1)).verdict == VerdictKind::consistent);
}

TEST_CASE("a spread explains only values of its own leaf") {
  Evidence other = spread("aten.index_add.default", 0.2, 0.1);
  other.measurements[0].leaves.push_back(off_leaf("output[1]", 0.2));
  other.measurements[1].leaves.push_back(same_leaf("output[1]"));
  CHECK(judge(other).leaves == std::vector<std::string>{"output[1]"});
  LeafMeasurement shape = off_leaf("output", 0.1);
  shape.shape_differs = true;
  CHECK(judge(spread("aten.index_add.default", off_leaf("output", 0.2), shape)).rule == "stability.eager_repeat");
  LeafMeasurement nan = off_leaf("output", 0.1);
  nan.nan_differs = 1;
  CHECK(judge(spread("aten.index_add.default", nan, off_leaf("output", 0.1))).kind == Kind::numerical);
  CHECK(judge(spread("aten.index_add.default", off_leaf("output", 0.2), nan)).rule == "stability.eager_repeat");
}

TEST_CASE("integers are judged by how many change") {
  const auto counts = [](std::int64_t unequal, double by) {
    LeafMeasurement leaf = same_leaf("output", Dtype::int64);
    leaf.unequal = unequal;
    leaf.max_absolute = leaf.rms_difference = by;
    return leaf;
  };
  CHECK(judge(spread("aten.histc.default", counts(8, 1), counts(2, 1))).verdict == VerdictKind::excused);
  CHECK(judge(spread("aten.histc.default", counts(9, 1), counts(2, 1))).kind == Kind::numerical);
}

TEST_CASE("without an operator of the table a program that is not reproducible stays unstable") {
  CHECK(judge(spread("aten.sin.default", 0.2, 0.1)).rule == "stability.eager_repeat");
}

}  // namespace parityd::oracle::test
