// The reproducer in a draft's body: only what the finding needs, within 25 lines, with what it prints.
#include "store/report/short_repro.h"

#include "store/report/draft_lint.h"
#include "store/report/shown_values.h"
#include "tests/catch.h"
#include "tests/store/report/golden_facts.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

store::ShownValue shown(const std::string& path, const std::string& detail = "") {
  auto facts = golden_facts(Kind::numerical);
  oracle::LeafMeasurement leaf =
      golden_leaf(path, oracle::LeafGroup::output, {.index = {1}, .eager = "0.0", .compiled = "2.0", .reference = ""});
  leaf.dtype = oracle::Dtype::float32;
  leaf.detail = detail;
  if (!detail.empty()) {
    leaf.worst.reset();
    leaf.type_differs = true;
  }
  put_leaf(facts, leaf);
  return store::shown_values(facts, 1).at(0);
}

}  // namespace

TEST_CASE("the reproducer of each kind fits and ends with what it prints or raises") {
  for (const Kind kind : {Kind::behaviour, Kind::missing_check, Kind::numerical, Kind::metadata, Kind::mutation,
                          Kind::gradient, Kind::crash, Kind::hang}) {
    const auto repro = store::short_repro(golden_facts(kind));
    CAPTURE(oracle::name(kind), repro.text);
    CHECK(store::code_lines(repro.text) <= store::kLongestProgram);
    CHECK_FALSE(contains(repro.text, "repro_"));
    for (const auto& line : repro.printed) CHECK(contains(repro.text, "\n# " + line + "\n"));
    if (!repro.raised.empty()) CHECK(contains(repro.text, "\n# " + repro.raised + "\n"));
    const bool known = !repro.printed.empty() || !repro.raised.empty() || kind == Kind::crash || kind == Kind::hang;
    CHECK(known);
  }
}

TEST_CASE("nothing is claimed that the evidence does not show") {
  auto facts = golden_facts(Kind::numerical);
  for (auto& measurement : facts.rounds.front().evidence.measurements) {
    for (auto& leaf : measurement.leaves) leaf.worst.reset();
  }
  const auto repro = store::short_repro(facts);
  CHECK(repro.printed.empty());
  CHECK(contains(repro.text, "# Differs: 2 of 4 elements differ, by at most 3"));
  facts.rounds.clear();
  CHECK(store::short_repro(facts).printed.empty());
}

TEST_CASE("the path of a leaf becomes a Python expression") {
  CHECK(shown("output").expression == "output[1].item()");
  CHECK(shown("output[0]['a'].b").expression == "output[0]['a'].b[1].item()");
  CHECK(shown("input_after[2]").expression == "inputs[2][1].item()");
  CHECK(shown("input_after['x']").expression == "inputs['x'][1].item()");
  CHECK(shown("buffer.norm.mean").expression == "model.norm.mean[1].item()");
  CHECK(shown("buffer.0.running_mean").expression == "model.get_submodule('0').running_mean[1].item()");
  CHECK(shown("parameter.a.0.weight").expression == "model.get_submodule('a.0').weight[1].item()");
  CHECK(shown("gradient.weight").expression ==
        "(torch.zeros_like(model.weight) if model.weight.grad is None else model.weight.grad)[1].item()");
  for (const char* const hostile : {"output['a'); import os; ('b']", "output[x]", "output.a b", "buffer.a;b",
                                    "input_after[0]\nimport os", "buffer.0", "gradient.import os.weight"}) {
    CAPTURE(hostile);
    CHECK(shown(hostile).expression.empty());
  }
}

TEST_CASE("metadata is shown as Python prints it") {
  const auto is = [](const store::ShownValue& value, const char* expression, const char* eager, const char* compiled) {
    CAPTURE(value.expression, value.eager, value.compiled);
    return value.expression == expression && value.eager == eager && value.compiled == compiled;
  };
  CHECK(is(shown("output", "dtype int64 vs int32"), "output.dtype", "torch.int64", "torch.int32"));
  CHECK(is(shown("output", "shape [3] vs []"), "tuple(output.shape)", "(3,)", "()"));
  CHECK(is(shown("output", "dtype a b; stride [4, 1] vs [1, 2]"), "output.stride()", "(4, 1)", "(1, 2)"));
  CHECK(is(shown("output", "requires_grad True vs False"), "output.requires_grad", "True", "False"));
  CHECK(is(shown("output", "type Tensor vs int"), "type(output).__name__", "Tensor", "int"));
  CHECK(is(shown("output", "shares memory with nothing vs input_after[0]"),
           "output.untyped_storage().data_ptr() == inputs[0].untyped_storage().data_ptr()", "False", "True"));
  CHECK(shown("output", "type a'b vs c").expression.empty());
}

TEST_CASE("the program's OPTIONS are applied and not shown") {
  auto facts = golden_facts(Kind::numerical);
  const std::string plain = store::short_repro(facts).text;
  facts.finding.reduced.insert(facts.finding.reduced.find("\n\nclass"), "\nOPTIONS = {\n    \"x\": {\"y\": 1},\n}\n");
  CHECK(store::short_repro(facts).text == plain);
  facts.finding.reduced = golden_facts(Kind::numerical).finding.reduced + "\n\n\nOPTIONS = {'x': 1}\n";
  CHECK(store::short_repro(facts).text == plain);
}

TEST_CASE("code around the calls is in the reproducer") {
  auto facts = golden_facts(Kind::numerical);
  facts.options_json =
      R"({"autocast": "bfloat16", "default_dtype": "float64", "functorch_config": {"activation_memory_budget": 0.0}})";
  const std::string text = store::short_repro(facts).text;
  CAPTURE(text);
  CHECK(contains(text, "    with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n        "));
  CHECK(contains(text, "torch.set_default_dtype(torch.float64)\n"));
  CHECK(contains(text, "import torch._functorch.config\n\ntorch._functorch.config.activation_memory_budget = 0.0\n"));
  facts.options_json = R"({"graph": true})";
  CHECK(contains(store::short_repro(facts).text, "compiled_graph(model)"));
}

TEST_CASE("options become lines and the program's own names are unchanged") {
  auto facts = golden_facts(Kind::numerical);
  facts.options_json =
      R"({"train": true, "dynamic": true, "fullgraph": true, "calls": 2, "mark_dynamic": [[0, 1]],
          "mark_unbacked": [[1, 0], [0, -1]], "dynamo_config": {"cache_size_limit": 4}, "inductor_config": {"triton.cudagraphs": false, "a;b": 1}})";
  facts.finding.device = "cuda";
  facts.finding.reduced += "\n\nrelu = torch.nn.ReLU()\n\n\ndef run(x):\n    return x\n";
  const std::string text = store::short_repro(facts).text;
  CAPTURE(text);
  CHECK(contains(text, "torch.compile(model, dynamic=True, fullgraph=True)"));
  CHECK(contains(text, "for call in range(2):"));
  CHECK(contains(text, "torch._dynamo.config.cache_size_limit = 4"));
  CHECK(contains(text, "torch._inductor.config.triton.cudagraphs = False"));
  CHECK_FALSE(contains(text, "a;b"));
  CHECK(contains(text, "Model().cuda().train()"));
  CHECK(contains(text, "torch._dynamo.mark_dynamic(inputs[0], 1)"));
  CHECK(contains(
      text,
      "if compiled and inputs[1].size(0) > 1:\n            torch._dynamo.decorators.mark_unbacked(inputs[1], 0)"));
  CHECK(contains(text, "mark_unbacked(inputs[0], inputs[0].dim() - 1)"));
  CHECK(contains(text, "def repro_run(compiled):"));
}

TEST_CASE("a program of fixed numbers is not seeded, one that draws is") {
  auto facts = golden_facts(Kind::metadata);
  const std::string fixed = store::short_repro(facts).text;
  CAPTURE(fixed);
  CHECK_FALSE(contains(fixed, "seed"));
  CHECK_FALSE(contains(fixed, "fallback_random"));
  CHECK(contains(fixed, "    model = Model()\n"));
  auto captured = facts;
  auto& evidence = captured.rounds.at(0).evidence;
  evidence.outcomes[evidence.compiled].seeded = {"aten.something"};
  CHECK(contains(store::short_repro(captured).text, "manual_seed"));
  facts.finding.reduced += "\n\nnoise = torch.randn(3)\n";
  const std::string drawn = store::short_repro(facts).text;
  CAPTURE(drawn);
  CHECK(contains(drawn, "torch._inductor.config.fallback_random = True\n"));
  CHECK(contains(drawn, "    torch.manual_seed(0)\n    model = Model()\n"));
}

TEST_CASE("lines that the reduction removed leave no gap, except in a program with long texts") {
  auto facts = golden_facts(Kind::metadata);
  facts.finding.reduced.insert(facts.finding.reduced.find("\n\nclass"), "\n\n\n");
  CHECK(contains(store::short_repro(facts).text, "import torch\n\n\nclass"));
  facts.finding.reduced += "\n\ntext = \"\"\"\n\n\n\n\"\"\"\n";
  CHECK(contains(store::short_repro(facts).text, "\n\n\n\n\"\"\""));
}

TEST_CASE("long texts of programs are matched without recursion") {
  const std::string many(400'000, 'a');
  CHECK_FALSE(shown("output['" + many + "']").expression.empty());
  CHECK_FALSE(shown("parameter." + many).expression.empty());
  CHECK(shown("output", "type " + many + " vs Tensor").eager == many);
  CHECK(shown("output", "shares memory with output['" + many + "'] vs nothing").label.size() > many.size());
  auto facts = golden_facts(Kind::numerical);
  facts.options_json = R"({"calls": 2, "inductor_config": {")" + many + R"(": true}})";
  facts.finding.reduced = "def get_inputs(" + many + "):\n    pass\n";
  const std::string text = store::short_repro(facts).text;
  CHECK(text.find(many) != std::string::npos);
  CHECK(text.find("scale") == std::string::npos);
}
