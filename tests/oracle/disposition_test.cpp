#include "oracle/disposition.h"

#include <limits>

#include "oracle/explain.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using Change = void (*)(LeafMeasurement&);

/// judge() and then the table, for one leaf that differs as `change` says.
std::string disposed(const std::string& path, Change change, const InputFacts& inputs = {}) {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf(path);
  change(leaf);
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  const Verdict verdict = judge(evidence);
  REQUIRE(verdict.verdict == VerdictKind::inconsistent);
  const Disposition disposition = disposition_of(verdict, evidence, inputs);
  return disposition.text() +
         (disposition.klass == Disposition::Class::ready ? " " + std::to_string(disposition.severity) : "");
}

std::string disposed(const Outcome& eager, const Outcome& compiled, const InputFacts& inputs = {}) {
  Evidence evidence;
  evidence.outcomes[Mode::eager] = eager;
  evidence.outcomes[Mode::inductor] = compiled;
  const Verdict verdict = judge(evidence);
  REQUIRE(verdict.verdict == VerdictKind::inconsistent);
  const Disposition disposition = disposition_of(verdict, evidence, inputs);
  return disposition.text() +
         (disposition.klass == Disposition::Class::ready ? " " + std::to_string(disposition.severity) : "");
}

}  // namespace

TEST_CASE("dispositions of leaves") {
  const auto wrong = [](LeafMeasurement& leaf) { leaf = off_leaf(leaf.path, 1); };
  CHECK(disposed("output", wrong) == "ready 1");
  CHECK(disposed("gradient.w", wrong) == "ready 1");
  CHECK(disposed("buffer.b", wrong) == "ready 1");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.dtype_differs = true; }) == "ready 1");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.requires_grad_differs = true; }) == "ready 1");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.stride_differs = true; }) == "held(stride)");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.alias_differs = true; }) == "ready 2");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.alias_differs = leaf.stride_differs = true; }) ==
        "ready 2");
  CHECK(disposed("output", [](LeafMeasurement& leaf) { leaf.shape_differs = leaf.stride_differs = true; }) ==
        "ready 1");
}

TEST_CASE("what vanishes with subnormal inputs is held") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1)});
  const Verdict verdict = judge(evidence);
  CHECK(disposition_of(verdict, evidence).text() == "ready");
  measure(evidence, Mode::eager_normal, Mode::inductor_normal, {same_leaf("output")});
  CHECK(disposition_of(verdict, evidence).text() == "held(subnormal)");
  evidence.measurements.back().leaves = {off_leaf("output", 1)};
  CHECK(disposition_of(verdict, evidence).text() == "ready");
  evidence.measurements.back().leaves.clear();
  CHECK(disposition_of(verdict, evidence).text() == "ready");
}

TEST_CASE("dispositions of outcomes") {
  const Outcome check = raised(Step::forward, "IndexError", "index out of range in self");
  const Outcome dtype = raised(Step::forward, "RuntimeError", "\"ceil\" not implemented for 'Bool'");
  const Outcome lowering = raised(Step::compile, "InductorError", "x");
  CHECK(disposed(ran(), lowering) == "ready 2");
  CHECK(disposed(ran(), died(Step::forward, 11)) == "ready 2");
  CHECK(disposed(ran(), hung(Step::compile)) == "ready 2");
  CHECK(disposed(check, ran()) == "umbrella(197554)");
  CHECK(disposed(dtype, ran()) == "umbrella(198155)");
  CHECK(disposed(died(Step::forward, 11), ran()) == "held(eager)");
}

TEST_CASE("inputs beyond the ordinary hold a finding back, except where an umbrella takes it") {
  const auto wrong = [](LeafMeasurement& leaf) { leaf = off_leaf(leaf.path, 1); };
  CHECK(disposed("output", wrong, {true, false}) == "held(edge)");
  CHECK(disposed("output", wrong, {false, true}) == "held(edge)");
  CHECK(disposed(ran(), raised(Step::compile, "InductorError", "x"), {false, true}) == "held(edge)");
  CHECK(disposed(raised(Step::forward, "IndexError", "x"), ran(), {true, true}) == "umbrella(197554)");
}

TEST_CASE("facts of inputs") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Record record(Mode::eager);
  record.tensor<float>("input[0]", Dtype::float32, {1, 2});
  record.tensor<float>("output", Dtype::float32, {kNan});
  record.tensor<std::uint16_t>("input[1]", Dtype::float16, {0x3c00});
  record.tensor<std::int64_t>("input[2]", Dtype::int64, {-1});
  CHECK(!input_facts(record.record()).edge());
  SECTION("NaN") {
    record.tensor<float>("input[3]", Dtype::float32, {1, kNan});
    CHECK(input_facts(record.record()).non_finite);
  }
  SECTION("infinity of half precision, as an imaginary part") {
    record.tensor<std::uint16_t>("input[3]", Dtype::complex32, {0x3c00, 0x7c00});
    CHECK(input_facts(record.record()).non_finite);
  }
  SECTION("NaN in the storage, not in the tensor") {
    record.view("input[3]", Dtype::float32, record.storage<float>({1, kNan, 2, kNan}), {2}, {2});
    CHECK(!input_facts(record.record()).non_finite);
  }
  SECTION("no elements") {
    record.view("input[3]", Dtype::float32, record.storage<float>({}), {0, 3}, {3, 1});
    CHECK(input_facts(record.record()).zero_size);
  }
  SECTION("outside its storage") {
    record.view("input[3]", Dtype::float32, record.storage<float>({1}), {9}, {1});
    CHECK(!input_facts(record.record()).edge());
  }
}

TEST_CASE("an explanation holds outcomes and numbers and fits a terminal") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::reference] =
      raised(Step::forward, "RuntimeError", std::string(300, 'x') + "\x1b[31m\nsecond line é");
  evidence.outcomes[Mode::inductor_fp64] = died(Step::forward, 11);
  LeafMeasurement strided = same_leaf("output[2]");
  strided.stride_differs = true;
  strided.detail = "stride [3, 1] vs [1, 2]";
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output[0]", 0.125), same_leaf("output[1]"), strided});
  measure(evidence, Mode::eager, Mode::inductor_precise, {off_leaf("output[0]", 0.25), same_leaf("output[1]")});
  evidence.same = false;
  evidence.warnings = {"no double run"};
  const std::string text = explain(evidence);
  for (const char* const part : {"eager_repeat", "signal 11", "RuntimeError", "output[0]  (float32)", "0.125", "0.25",
                                 "100/100", "stride [3, 1] vs [1, 2]", "same: False", "no double run"}) {
    CAPTURE(part, text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("output[1]") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    std::size_t columns = 0;
    for (std::size_t i = at; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U ? 1 : 0;
    CHECK(columns <= 100);
    at = end + 1;
  }
}

TEST_CASE("an explanation of equal runs says so") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output")});
  CHECK(explain(evidence).find("every leaf is equal") != std::string::npos);
}

}  // namespace parityd::oracle::test
