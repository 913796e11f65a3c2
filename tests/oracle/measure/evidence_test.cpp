#include "oracle/measure/evidence.h"

#include <algorithm>
#include <set>

#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

/// Records of a round; each mode's output holds one number.
class Round {
 public:
  void add(Mode mode, float output, float input = 1) {
    Record& record = *records_.emplace_back(std::make_unique<Record>(mode));
    record.tensor<float>("input[0]", Dtype::float32, {input});
    record.tensor<float>("output", Dtype::float32, {output});
  }
  void add_failed(Mode mode, Outcome outcome) {
    records_.emplace_back(std::make_unique<Record>(mode))->record().outcome = std::move(outcome);
  }
  void draws() { records_.back()->record().outcome.seeded = {"aten.bernoulli_.float"}; }
  void add_double(Mode mode, float output, const std::string& way) {
    add(mode, output);
    records_.back()->record().outcome.double_way = way;
  }
  [[nodiscard]] Evidence evidence(Mode compiled) const {
    std::vector<RunRecord> all;
    for (const auto& record : records_) all.push_back(record->record());
    return evidence_from(compiled, all);
  }

 private:
  std::vector<std::unique_ptr<Record>> records_;
};

}  // namespace

TEST_CASE("every pair that the rules use is measured once") {
  for (const Mode compiled : {Mode::inductor, Mode::inductor_dynamic, Mode::inductor_max_autotune}) {
    const auto pairs = pairs_to_measure(compiled);
    const std::set<std::pair<Mode, Mode>> unique(pairs.begin(), pairs.end());
    CHECK(unique.size() == pairs.size());
    for (const auto& pair : std::vector<std::pair<Mode, Mode>>{{Mode::eager, compiled},
                                                               {Mode::eager, Mode::eager_repeat},
                                                               {Mode::eager, Mode::inductor_precise},
                                                               {Mode::reference, Mode::inductor_fp64},
                                                               {Mode::reference, Mode::eager},
                                                               {Mode::reference, compiled},
                                                               {Mode::eager, Mode::dynamo_eager},
                                                               {Mode::eager, Mode::aot_eager},
                                                               {Mode::eager, Mode::aot_eager_decomp_partition}})
      CHECK(unique.count(pair) == 1);
  }
}

TEST_CASE("double-precision runs that took different branches are not compared") {
  Round round;
  round.add(Mode::eager, 1);
  round.add(Mode::inductor, 1);
  round.add_double(Mode::reference, 1, "lifted");
  SECTION("one way") {
    round.add_double(Mode::inductor_fp64, 1, "lifted");
    const Evidence evidence = round.evidence(Mode::inductor);
    CHECK(evidence.measurement(Mode::reference, Mode::inductor_fp64) != nullptr);
    CHECK(evidence.warnings == std::vector<std::string>{"double run: lifted"});
  }
  SECTION("two ways") {
    round.add_double(Mode::inductor_fp64, 1, "double");
    const Evidence evidence = round.evidence(Mode::inductor);
    CHECK(evidence.measurement(Mode::reference, Mode::inductor_fp64) == nullptr);
    CHECK(evidence.measurement(Mode::reference, Mode::inductor) != nullptr);
    CHECK(evidence.outcome(Mode::inductor_fp64) == nullptr);
    CHECK(evidence.warnings ==
          std::vector<std::string>{"no double run: reference went lifted, inductor_fp64 went double"});
  }
}

TEST_CASE("a double-precision run that drew other random numbers is ignored") {
  Round round;
  round.add(Mode::eager, 1);
  round.add(Mode::inductor, 1);
  SECTION("a program that draws, and its output leaps in double") {
    round.draws();
    round.add_double(Mode::reference, 2, "");
    round.add_double(Mode::inductor_fp64, 2, "");
    const Evidence evidence = round.evidence(Mode::inductor);
    CHECK_FALSE(evidence.ran(Mode::reference));
    CHECK_FALSE(evidence.ran(Mode::inductor_fp64));
    CHECK(evidence.measurement(Mode::reference, Mode::eager) == nullptr);
    CHECK(evidence.warnings == std::vector<std::string>{"no double run: different random numbers are drawn in double"});
  }
  SECTION("a program that draws, and its output is rounded") {
    round.draws();
    round.add_double(Mode::reference, 1.0001F, "");
    CHECK(round.evidence(Mode::inductor).ran(Mode::reference));
  }
  SECTION("a program that draws, and its output is ill-conditioned") {
    round.draws();
    round.add_double(Mode::reference, 2, "");
    round.add(Mode::eager_noise, 1.5);
    CHECK(round.evidence(Mode::inductor).ran(Mode::reference));
  }
  SECTION("a program that draws nothing is ill-conditioned") {
    round.add_double(Mode::reference, 2, "");
    CHECK(round.evidence(Mode::inductor).ran(Mode::reference));
  }
  SECTION("only the compiled output leaps: the double run may say who is right") {
    Round other;
    other.add(Mode::eager, 1);
    other.add(Mode::inductor, 3);
    other.draws();
    other.add_double(Mode::reference, 2, "");
    CHECK(other.evidence(Mode::inductor).ran(Mode::reference));
  }
}

TEST_CASE("the modes of a round are those of its side, and those of the screening are not repeated") {
  for (const RoundModes& modes : {first_look(Mode::inductor_dynamic), control_modes_of(Mode::inductor_dynamic)}) {
    CHECK(std::all_of(modes.eager.begin(), modes.eager.end(), is_eager));
    CHECK(std::none_of(modes.compiled.begin(), modes.compiled.end(), is_eager));
    CHECK(modes.compiled.size() == 2);
  }
  CHECK(first_look(Mode::inductor_dynamic).compiled.front() == Mode::inductor_dynamic);
  CHECK(first_look(Mode::aot_eager).compiled == std::vector<Mode>{Mode::aot_eager});
  CHECK(control_modes_of(Mode::aot_eager).compiled.empty());
}

TEST_CASE("a screening excuses only by what it observed") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1e-4)});
  SECTION("precision casts") {
    measure(evidence, Mode::eager, Mode::inductor_precise, {same_leaf("output")});
    CHECK(judge_first_look(evidence).rule == "numbers.rounding_precise");
    CHECK_FALSE(needs_controls(judge_first_look(evidence)));
    CHECK(judge_first_look(evidence, {"numbers.rounding_precise", "numbers.rounding_mostly"}).verdict ==
          VerdictKind::inconsistent);
  }
  SECTION("eager that does not repeat itself: the watched run may know why") {
    measure(evidence, Mode::eager, Mode::eager_repeat, {off_leaf("output", 1)});
    CHECK(judge_first_look(evidence).rule == "stability.eager_repeat");
    CHECK(needs_controls(judge_first_look(evidence)));
    Outcome watched;
    watched.observations.push_back({"uninitialised_memory", "aten.empty_like", 4, {"output"}});
    evidence.outcomes.insert_or_assign(Mode::eager_watched, watched);
    CHECK(judge(evidence).rule == "undefined.uninitialised_memory");
  }
  SECTION("no double run") {
    evidence.measurements[0].leaves[0].rms_difference = 1e-8;
    measure(evidence, Mode::eager, Mode::inductor_precise, {off_leaf("output", 1e-4)});
    CHECK(judge(evidence).rule == "numbers.rounding_rms");
    CHECK(judge_first_look(evidence).verdict == VerdictKind::inconsistent);
  }
}

TEST_CASE("evidence has measurements of what ran and every outcome") {
  Round round;
  round.add(Mode::eager, 1);
  round.add(Mode::eager_repeat, 1);
  round.add(Mode::inductor_dynamic, 2);
  round.add(Mode::inductor_precise, 2);
  round.add_failed(Mode::reference, raised(Step::forward, "RuntimeError", "expected Float"));
  const Evidence evidence = round.evidence(Mode::inductor_dynamic);
  CHECK(evidence.compiled == Mode::inductor_dynamic);
  CHECK(evidence.outcomes.size() == 5);
  CHECK(evidence.ran(Mode::eager));
  CHECK(!evidence.ran(Mode::reference));
  CHECK(!evidence.ran(Mode::aot_eager));
  CHECK(evidence.outcome(Mode::aot_eager) == nullptr);
  CHECK(evidence.measurements.size() == 3);
  REQUIRE(evidence.measurement(Mode::eager, Mode::inductor_dynamic) != nullptr);
  CHECK(evidence.measurement(Mode::reference, Mode::eager) == nullptr);
  CHECK(evidence.measurement(Mode::eager, Mode::inductor_dynamic)->find("output")->max_absolute == 1);
  const Verdict verdict = judge(evidence);
  CHECK(verdict.kind == Kind::numerical);
  CHECK(verdict.rule == "numbers.no_double_run");
}

TEST_CASE("a round leads from records to a verdict") {
  Round round;
  round.add(Mode::eager, 1);
  round.add(Mode::eager_repeat, 1);
  round.add(Mode::inductor, 1);
  CHECK(judge(round.evidence(Mode::inductor)).verdict == VerdictKind::consistent);

  Round other_inputs;
  other_inputs.add(Mode::eager, 1);
  other_inputs.add(Mode::inductor, 2, 2);
  CHECK(judge(other_inputs.evidence(Mode::inductor)).verdict == VerdictKind::unstable);
}

TEST_CASE("only a consistent verdict says that graphs ran in place of their code") {
  using Kind = GraphForms::Kind;
  const GraphForms interpreted{.seen = 9, .interpreted = 2};
  CHECK(GraphForms{}.kind() == Kind::none);
  CHECK(GraphForms{.seen = 9, .fresh = {7}}.kind() == Kind::compiled);
  CHECK(GraphForms{.seen = 9}.kind() == Kind::sampled);
  CHECK(GraphForms{.seen = 9, .interpreted = 1, .fresh = {7}}.kind() == Kind::interpreted);  // one graph of two
  for (const auto kind : {Kind::none, Kind::compiled, Kind::sampled, Kind::interpreted}) {
    CHECK(GraphForms::of(kind).kind() == kind);
  }
  const Verdict agrees{.verdict = VerdictKind::consistent, .rule = "consistent", .explanation = "All 2 leaves agree."};
  const Verdict told = without_compiling(agrees, interpreted);
  CHECK(told.rule == kInterpreted);
  CHECK(told.explanation.find("run by eager kernels") != std::string::npos);
  CHECK(without_compiling(agrees, {.seen = 9}).rule == "consistent");
  Verdict other = agrees;
  other.rule = kSteppedOver;
  CHECK(without_compiling(other, interpreted).rule == kSteppedOver);
  other.verdict = VerdictKind::inconsistent;
  CHECK(without_compiling(other, interpreted).explanation == agrees.explanation);
}

}  // namespace parityd::oracle::test
