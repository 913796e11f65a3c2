#include "oracle/finding/json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using nlohmann::json;

Evidence full_evidence() {
  Evidence evidence = round_of(Mode::inductor_dynamic);
  Outcome& failed = evidence.outcomes[Mode::aot_eager];
  failed = raised(Step::compile, "BackendCompilerFailed", "text with \"quotes\" and \n lines, é");
  failed.error->inner_class = "LoweringException";
  failed.error->compiler_frame = "graph.py:call_function";
  failed.error->user_line = 9;
  failed.error->user_source = "y = torch.mm(a, b)";
  failed.error->user_operator = "mm";
  failed.error->live_tensors = {{"a", "float32", {2, 10}}, {"self.weight", "int8", {}}};
  failed.error->traceback = "Traceback";
  failed.operators = {"aten.mm.default"};
  failed.lowered = {"aten.addmm.default"};
  failed.decomposed = {"aten.linear.default"};
  failed.seeded = {"aten.bernoulli.p"};
  failed.private_operators = {"aten._unsafe_index.Tensor"};
  failed.replaced = {"torch.relu"};
  evidence.outcomes[Mode::dynamo_eager] = died(Step::forward, 11);
  evidence.outcomes[Mode::dynamo_eager].native_frame = "memcpy";
  evidence.outcomes[Mode::aot_eager_decomp_partition] = hung(Step::compile);
  evidence.outcomes[Mode::aot_eager_decomp_partition].exit_status = 3;
  LeafMeasurement leaf = off_leaf("output['a'][1]", 0.1, Dtype::complex64);
  leaf.nan_differs = 1;
  leaf.inf_differs = 2;
  leaf.sign_differs = 3;
  leaf.max_absolute = std::numeric_limits<double>::infinity();
  leaf.missing = leaf.type_differs = leaf.dtype_differs = leaf.shape_differs = true;
  leaf.stride_differs = leaf.requires_grad_differs = leaf.alias_differs = leaf.returned_input = leaf.stride_padded =
      true;
  leaf.detail = "detail";
  measure(evidence, Mode::eager, Mode::inductor_dynamic, {leaf, same_leaf("gradient.w")});
  evidence.same = false;
  evidence.same_detail = "RuntimeError: unsupported type";
  evidence.warnings = {"no double run: .double() failed"};
  evidence.features = {"guard:TENSOR_MATCH", "lowering:aten.sum.default"};
  evidence.graphs = {.seen = 9, .interpreted = 1, .fresh = {4'503'599'627'370'495, 7}};
  evidence.untried = {"inductor.of_a_later_torch"};
  return evidence;
}

}  // namespace

TEST_CASE("evidence survives JSON unchanged") {
  const json first = full_evidence();
  const auto again = json::parse(first.dump()).get<Evidence>();
  CHECK(json(again) == first);
  CHECK(again.compiled == Mode::inductor_dynamic);
  CHECK(again.outcomes.at(Mode::aot_eager).error->live_tensors.at(0).shape == std::vector<std::int64_t>{2, 10});
  CHECK(again.outcomes.at(Mode::dynamo_eager).signal == 11);
  CHECK(again.outcomes.at(Mode::aot_eager).replaced == std::vector<std::string>{"torch.relu"});
  CHECK(again.same == false);
  CHECK(again.graphs.fresh == std::vector<std::uint64_t>{4'503'599'627'370'495, 7});
  const LeafMeasurement& leaf = again.measurements.at(0).leaves.at(0);
  CHECK(std::isinf(leaf.max_absolute));
  CHECK(leaf.dtype == Dtype::complex64);
  CHECK(leaf.alias_differs);
  CHECK(leaf.returned_input);
  CHECK(leaf.stride_padded);
  CHECK(leaf.sign_differs == 3);
}

TEST_CASE("zero, false and empty values are omitted") {
  CHECK(json(Outcome{}) == json({{"kind", "ran"}, {"step", "start"}}));
  CHECK(json(LeafMeasurement{}) == json({{"path", ""}, {"group", "output"}, {"dtype", "float32"}}));
  CHECK(json(Evidence{}) == json({{"compiled", "inductor"}, {"outcomes", json::object()}}));
}

TEST_CASE("the example in docs/protocol.md is read") {
  const auto evidence = json::parse(R"({
    "compiled": "inductor",
    "outcomes": {
      "eager": {"kind": "ran", "step": "measure", "seconds": 0.01, "graphs": 0, "operators": []},
      "inductor": {"kind": "raised", "step": "compile", "error": {"outer_class": "InductorError", "user_line": 9}}
    },
    "measurements": [{"expected": "eager", "actual": "inductor",
      "leaves": [{"path": "output", "group": "output", "dtype": "float32", "elements": 4, "unequal": 0}]}],
    "same": null, "same_detail": "", "warnings": [], "of a later version": {"x": 1}
  })")
                            .get<Evidence>();
  CHECK(evidence.outcomes.at(Mode::inductor).error->user_line == 9);
  CHECK(evidence.measurements.at(0).leaves.at(0).elements == 4);
  CHECK(!evidence.same.has_value());
}

TEST_CASE("NaN and infinities are written as words") {
  LeafMeasurement leaf;
  leaf.max_absolute = std::nan("");
  leaf.max_relative = -std::numeric_limits<double>::infinity();
  const json written = leaf;
  CHECK(written["max_absolute"] == "nan");
  CHECK(written["max_relative"] == "-inf");
  CHECK(std::isnan(written.get<LeafMeasurement>().max_absolute));
}

TEST_CASE("leaves of a record, tensors and others are read") {
  Record record(Mode::eager);
  Leaf& tensor = record.tensor<float>("output[0]", Dtype::float32, {1, 2});
  tensor.requires_grad = tensor.conjugate = tensor.negative = true;
  tensor.offset = 1;
  record.value("output[1]", "NoneType", "None");
  for (const Leaf& leaf : record.record().leaves) {
    const json written = leaf;
    CHECK(json(written.get<Leaf>()) == written);
  }
  CHECK(json(record.record().leaves[1]) ==
        json({{"path", "output[1]"}, {"group", "output"}, {"type", "NoneType"}, {"value", "None"}}));
}

TEST_CASE("verdicts survive JSON and a kind is written only if there is one") {
  const Verdict verdict{VerdictKind::inconsistent, Kind::gradient, "numbers.double_run", "text", {"gradient.w"}};
  CHECK(json(json(verdict).get<Verdict>()) == json(verdict));
  const Verdict plain{VerdictKind::invalid, {}, "outcome.both_raise", "text", {}};
  CHECK(!json(plain).contains("kind"));
  CHECK(!json(plain).get<Verdict>().kind.has_value());
}

TEST_CASE("wrong types, unknown names and missing keys are refused") {
  for (const char* const text : {
           R"([])",
           R"({"kind": "vanished"})",
           R"({"step": "forward"})",
           R"({"kind": 3})",
           R"({"kind": "ran", "signal": "11"})",
           R"({"kind": "ran", "signal": 1.5})",
           R"({"kind": "ran", "signal": true})",
           R"({"kind": "ran", "signal": 99999999999})",
           R"({"kind": "ran", "seconds": "long"})",
           R"({"kind": "ran", "operators": "aten"})",
           R"({"kind": "ran", "operators": [1]})",
           R"({"kind": "ran", "error": "text"})",
           R"({"kind": "ran", "error": {"live_tensors": [{"shape": [1.5]}]}})",
       }) {
    INFO(text);
    CHECK_THROWS_AS(json::parse(text).get<Outcome>(), json::exception);
  }
  for (
      const char* const text : {
          R"({"outcomes": []})",
          R"({"outcomes": {"inducter": {"kind": "ran"}}})",
          R"({"compiled": "triton"})",
          R"({"same": "yes"})",
          R"({"measurements": {}})",
          R"({"measurements": [{"expected": "eager", "leaves": []}]})",
          R"({"measurements": [{"expected": "eager", "actual": "inductor", "leaves": [{"unequal": 1}]}]})",
          R"({"measurements": [{"expected": "eager", "actual": "inductor", "leaves": [{"path": "x", "missing": 1}]}]})",
          R"({"measurements": [{"expected": "eager", "actual": "inductor",
               "leaves": [{"path": "x", "unequal": 18446744073709551615}]}]})",
      }) {
    INFO(text);
    CHECK_THROWS_AS(json::parse(text).get<Evidence>(), json::exception);
  }
  CHECK_THROWS_AS(json::parse(R"({"path": "x", "group": "output", "is_tensor": true})").get<Leaf>(), json::exception);
  CHECK_THROWS_AS(json::parse(R"({"path": "x", "group": "side"})").get<Leaf>(), json::exception);
  CHECK_THROWS_AS(json::parse(R"({"verdict": "fine"})").get<Verdict>(), json::exception);
  CHECK_THROWS_AS(json::parse(R"({"verdict": "invalid", "kind": "odd"})").get<Verdict>(), json::exception);
}

}  // namespace parityd::oracle::test
