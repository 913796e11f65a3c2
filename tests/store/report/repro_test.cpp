// The repro script: only what the finding's options need.
#include "store/report/repro_parts.h"
#include "tests/catch.h"
#include "tests/store/facts.h"
#include "tests/text.h"

#include <nlohmann/json.hpp>

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

constexpr const char* kProgram =
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n"
    "def get_inputs(scale: int = 1):\n    return [torch.randn(scale)]\n";

std::string script(Kind kind, const std::string& options = "{}") {
  return store::render_repro(facts_of(kind, kProgram, options));
}

}  // namespace

TEST_CASE("the script of a plain finding has no unneeded lines") {
  const std::string text = script(Kind::numerical);
  CAPTURE(text);
  CHECK(contains(text, kProgram));
  CHECK(contains(text, "torch.compile(model, backend=BACKEND) if compiled"));
  CHECK(contains(text, "torch.set_grad_enabled(False)"));
  CHECK(contains(text, ".eval()"));
  CHECK(contains(text, "\"fallback_random\": True"));
  CHECK(contains(text, "torch._dynamo.utils.same"));
  for (const char* const other : {"cuda", "backward", "DYNAMO", "mark_dynamic", "for call in", "get_init_inputs",
                                  "subprocess", "state_dict", "import random", "fullgraph", "dynamic=True"}) {
    CAPTURE(other);
    CHECK_FALSE(contains(text, other));
  }
}

TEST_CASE("options become lines that apply them") {
  const std::string text = script(
      Kind::gradient,
      R"({"train": true, "backward": true, "dynamic": true, "fullgraph": true, "calls": 2, "mark_dynamic": [[0, 1]],
          "dynamo_config": {"cache_size_limit": 4}, "inductor_config": {"triton.cudagraphs": false, "x": null}})");
  CAPTURE(text);
  CHECK(contains(text, ".train()"));
  CHECK(contains(text, "torch.set_grad_enabled(True)"));
  CHECK(contains(text, "torch.autograd.backward(ends, weights)"));
  CHECK(contains(text, "dynamic=True, fullgraph=True"));
  CHECK(contains(text, "for call in range(2):"));
  CHECK(contains(text, "get_inputs(scale=call + 1) if call else get_inputs()"));
  CHECK(contains(text, "torch._dynamo.mark_dynamic(inputs[0], 1)"));
  CHECK(contains(text, "DYNAMO = {\"cache_size_limit\": 4}"));
  CHECK(contains(text, "\"triton.cudagraphs\": False"));
  CHECK(contains(text, "\"x\": None"));
}

TEST_CASE("modes become arguments of torch.compile") {
  CHECK(contains(script(Kind::numerical, R"({"mode": "inductor_max_autotune"})"), "mode=\"max-autotune\""));
  CHECK(contains(script(Kind::numerical, R"({"mode": "inductor_reduce_overhead"})"), "mode=\"reduce-overhead\""));
  CHECK(contains(script(Kind::numerical, R"({"mode": "inductor_reduce_overhead"})"), "for call in range(3):"));
  CHECK(contains(script(Kind::numerical, R"({"mode": "inductor_freezing"})"), "\"freezing\": True"));
  CHECK(contains(script(Kind::numerical, R"({"mode": "inductor_dynamic"})"), "dynamic=True"));
  CHECK(
      contains(script(Kind::numerical, R"({"mode": "inductor_memory_budget"})"), "\"activation_memory_budget\": 0.3"));
  constexpr const char* kTraced = "torch._dynamo.compiled_autograd._enable(";
  const auto gradients = [&](const std::string& more) {
    return script(Kind::gradient, R"({"mode": "inductor_compiled_autograd", "backward": true)" + more + "}");
  };
  CHECK(contains(gradients(""), kTraced));
  CHECK(contains(gradients(R"(, "dynamic": true)"), "torch.compile(backend=BACKEND, dynamic=True), dynamic=True)"));
  CHECK(!contains(gradients(R"(, "dynamo_config": {"compiled_autograd": false})"), kTraced));
  CHECK(!contains(gradients(R"(, "dynamo_config": {"compiled_autograd": 0})"), kTraced));
}

TEST_CASE("threads are set only if needed: several, or one if several were not tried as successfully") {
  const auto with = [](const std::string& options, oracle::Stage stage, bool any_threads) {
    auto facts = facts_of(Kind::numerical, kProgram, options);
    facts.finding.stage = stage;
    facts.any_threads = any_threads;
    return facts;
  };
  const std::string one = "torch.set_num_threads(1)";
  const std::string eight = "torch.set_num_threads(8)";
  for (const auto& render : {store::render_repro, store::render_regression_test}) {
    CHECK(contains(render(with("{}", oracle::Stage::inductor, false)), one));
    CHECK_FALSE(contains(render(with("{}", oracle::Stage::inductor, true)), "set_num_threads"));
    CHECK_FALSE(contains(render(with("{}", oracle::Stage::aot_eager, false)), "set_num_threads"));
    CHECK(contains(render(with(R"({"threads": 8, "backward": true})", oracle::Stage::inductor, false)), eight));
  }
  auto cuda = with(R"({"threads": 8})", oracle::Stage::inductor, false);
  cuda.finding.device = "cuda";
  CHECK_FALSE(contains(store::render_repro(cuda), "set_num_threads"));
}

TEST_CASE("scripts about the compiler's own random numbers compare no values and say what they compare") {
  auto facts = facts_of(Kind::numerical, kProgram, R"({"own_random": true, "train": true})");
  facts.rounds.front().verdict.leaves = {"drawn.output[0].std", "drawn.output[0].mean"};
  for (const auto& render : {store::render_repro, store::render_regression_test}) {
    const std::string text = render(facts);
    CAPTURE(text);
    CHECK(contains(text, "fallback_random = False"));
    CHECK(contains(text, "standard deviation of output[0], over 32 seeds"));
    CHECK(contains(text, "return output[0].detach().clone()"));
    CHECK(contains(text, "found.append(drawn.std(correction=0).item())"));
    CHECK_FALSE(contains(text, "assert_close"));
    CHECK_FALSE(contains(text, "assertEqual"));
  }
  facts.rounds.front().verdict.leaves = {"drawn.output[0].alike"};
  CHECK(contains(store::render_repro(facts), "torch.set_rng_state(generator) if seed is None"));
  facts.finding.device = "cuda";
  CHECK(contains(store::render_repro(facts), "torch.cuda.set_rng_state(generator) if seed is None"));
  facts.rounds.front().verdict.leaves = {"drawn.derivative"};
  CHECK(contains(store::render_repro(facts), "torch.Tensor.cuda, inputs"));
  facts.finding.device = "cpu";
  facts.rounds.front().verdict.leaves = {"drawn.output[0].std"};
  const auto draft = store::render_draft(facts, PARITYD_SOURCE_DIR "/store/draft.mustache", 0);
  CHECK(contains(draft.title, "draws from a different distribution than eager"));
  CHECK(contains(draft.body, "random numbers that differ from eager's, drawn from the same distribution"));
  CHECK_FALSE(contains(draft.body, "_dynamo.utils.same"));
}

TEST_CASE("the script of a GPU finding is undecided without a GPU") {
  auto facts = facts_of(Kind::numerical, kProgram);
  facts.finding.device = "cuda";
  const std::string text = store::render_repro(facts);
  CHECK(contains(text, "if not torch.cuda.is_available():"));
  CHECK(contains(text, "sys.exit(2)"));
  CHECK(contains(text, "torch.cuda.synchronize()"));
}

TEST_CASE("crashes and hangs run in their own process with a time limit") {
  for (const Kind kind : {Kind::crash, Kind::hang}) {
    const std::string text = script(kind);
    CHECK(contains(text, "subprocess.run(command, timeout="));
    CHECK_FALSE(contains(text, "same("));
  }
}

TEST_CASE("names of the harness do not clash with those of the program") {
  const std::string text = store::render_repro(facts_of(Kind::numerical, "def repro_run(x):\n    return x\n"));
  CHECK(contains(text, "def parityd_repro_run(compiled, double=False):"));
}

TEST_CASE("any JSON becomes a Python literal") {
  const auto json = nlohmann::json::parse(R"({"a": [1, -2.5, true, false, null, "q\"\\\n"], "b.c": {}})");
  CHECK(store::python_literal(json) == R"({"a": [1, -2.5, True, False, None, "q\"\\\n"], "b.c": {}})");
}
