#include "oracle/finding/attribute.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/oracle/builders.h"

using namespace parityd::oracle;
using namespace parityd::oracle::test;

namespace {

Evidence two_runs(Outcome eager, Outcome compiled, std::vector<LeafMeasurement> leaves = {}) {
  Evidence evidence;
  evidence.outcomes[Mode::eager] = std::move(eager);
  evidence.outcomes[Mode::inductor] = std::move(compiled);
  if (!leaves.empty()) evidence.measurements = {{Mode::eager, Mode::inductor, std::move(leaves)}};
  return evidence;
}

Shown symptom_of(Kind kind, Evidence evidence, std::vector<std::string> leaves = {}) {
  return {{VerdictKind::inconsistent, kind, "some.rule", "", std::move(leaves)}, std::move(evidence), Stage::inductor};
}

}  // namespace

TEST_CASE("symptom: values are wrong") {
  const auto symptom = symptom_of(Kind::numerical,
                                  two_runs(ran(), ran(),
                                           {off_leaf("output[0]", 1), off_leaf("output[1]", 2),
                                            off_leaf("output[2]", 0.1), same_leaf("output[3]")}),
                                  {"output[0]", "output[1]"});
  const auto answer = [&](const std::vector<LeafMeasurement>& leaves) {
    return answer_of(symptom, two_runs(ran(), ran(), leaves));
  };
  CHECK(answer({off_leaf("output[0]", 5), same_leaf("output[1]")}) == Answer::stays);
  CHECK(answer({same_leaf("output[0]"), same_leaf("output[1]")}) == Answer::vanishes);
  INFO("a leaf that differed before and was not reported");
  CHECK(answer({same_leaf("output[0]"), same_leaf("output[1]"), off_leaf("output[2]", 0.1)}) == Answer::vanishes);
  CHECK(answer({same_leaf("output[0]"), same_leaf("output[1]"), off_leaf("output[3]", 0.1)}) ==
        Answer::differs_otherwise);
  CHECK(answer({same_leaf("output[0]"), off_leaf("output[4]", 1)}) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, two_runs(ran(), raised(Step::compile, "InductorError", "no"))) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, two_runs(ran(), died(Step::forward, 11))) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, two_runs(raised(Step::forward, "RuntimeError", "no"), ran())) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, Evidence{}) == Answer::not_tried);
}

TEST_CASE("symptom: compiled code raises") {
  const auto raises = [](const std::string& error_class, const std::string& message) {
    return two_runs(ran(), raised(Step::compile, error_class, message));
  };
  const auto symptom = symptom_of(Kind::behaviour, raises("InductorError", "no lowering for buf3"));
  CHECK(answer_of(symptom, raises("InductorError", "no lowering for buf7")) == Answer::stays);
  CHECK(answer_of(symptom, raises("InductorError", "wrong device")) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, raises("TypeError", "no lowering for buf3")) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, two_runs(ran(), ran(), {same_leaf("output")})) == Answer::vanishes);
  CHECK(answer_of(symptom, two_runs(ran(), ran(), {off_leaf("output", 1)})) == Answer::differs_otherwise);
  CHECK(answer_of(symptom, two_runs(ran(), hung(Step::compile))) == Answer::differs_otherwise);
}

TEST_CASE("symptom: compiled code crashes or hangs") {
  const auto crash = symptom_of(Kind::crash, two_runs(ran(), died(Step::forward, 11)));
  CHECK(answer_of(crash, two_runs(ran(), died(Step::forward, 11))) == Answer::stays);
  CHECK(answer_of(crash, two_runs(ran(), died(Step::forward, 6))) == Answer::differs_otherwise);
  CHECK(answer_of(crash, two_runs(ran(), ran(), {same_leaf("output")})) == Answer::vanishes);
  const auto hang = symptom_of(Kind::hang, two_runs(ran(), hung(Step::compile)));
  CHECK(answer_of(hang, two_runs(ran(), hung(Step::compile))) == Answer::stays);
  CHECK(answer_of(hang, two_runs(ran(), died(Step::compile, 9))) == Answer::differs_otherwise);
}

TEST_CASE("symptom: compiled code omits a check") {
  const auto refusal = raised(Step::forward, "RuntimeError", "expected a square matrix, got 3 by 4");
  const auto symptom = symptom_of(Kind::missing_check, two_runs(refusal, ran()));
  CHECK(answer_of(symptom, two_runs(refusal, ran())) == Answer::stays);
  CHECK(answer_of(symptom, two_runs(refusal, refusal)) == Answer::vanishes);
  CHECK(answer_of(symptom, two_runs(refusal, raised(Step::compile, "TorchRuntimeError",
                                                    "failed: expected a square matrix, got 5 by 6"))) ==
        Answer::vanishes);
  CHECK(answer_of(symptom, two_runs(refusal, raised(Step::compile, "KeyError", "buf0"))) == Answer::differs_otherwise);
}
