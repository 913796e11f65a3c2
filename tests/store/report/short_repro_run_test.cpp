// The reproducers of drafts run with the torch at hand: each prints, or raises, what its comments say.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "store/report/short_repro.h"
#include "tests/catch.h"
#include "tests/store/report/golden_facts.h"
#include "tests/store/report/script_run.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;
using oracle::LeafGroup;

namespace {

/// Tells compiled from eager by itself, so that it shows a difference on every torch.
std::string telling(const std::string& compiled, const std::string& eager) {
  return fmt::format(
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
      "        if torch.compiler.is_compiling():\n            {}\n        {}\n\n\n"
      "def get_inputs():\n    return [torch.arange(4.0)]\n",
      compiled, eager);
}

store::DraftFacts facts_with(Kind kind, const std::string& text, const oracle::LeafMeasurement& leaf,
                             const std::string& options = "{}") {
  auto facts = facts_of(kind, text, options);
  put_leaf(facts, leaf);
  return facts;
}

oracle::LeafMeasurement leaf_of(const std::string& path, LeafGroup group, std::vector<std::int64_t> index,
                                const std::string& eager, const std::string& compiled) {
  auto leaf =
      golden_leaf(path, group, {.index = std::move(index), .eager = eager, .compiled = compiled, .reference = ""});
  leaf.dtype = oracle::Dtype::float32;
  return leaf;
}

void check_prints(const store::DraftFacts& facts) {
  const auto repro = store::short_repro(facts);
  const auto ran = run_script(repro.text);
  CAPTURE(repro.text, ran.err);
  REQUIRE(repro.printed.size() == 2);
  CHECK(ran.out == repro.printed[0] + "\n" + repro.printed[1] + "\n");
  CHECK(ran.status == 0);
}

void check_raises(const store::DraftFacts& facts) {
  const auto repro = store::short_repro(facts);
  const auto ran = run_script(repro.text);
  CAPTURE(repro.text, ran.err);
  REQUIRE_FALSE(repro.raised.empty());
  CHECK(ran.status != 0);
  CHECK(ran.err.find(repro.raised) != std::string::npos);
}

}  // namespace

TEST_CASE("short reproducer: wrong numbers are printed") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  check_prints(facts_with(Kind::numerical, telling("return {'y': x + 1.5}", "return {'y': x}"),
                          leaf_of("output['y']", LeafGroup::output, {3}, "3.0", "4.5")));
  check_prints(facts_with(Kind::numerical, telling("return x.sum() * 2", "return x.sum()"),
                          leaf_of("output", LeafGroup::output, {}, "6.0", "12.0"), R"({"calls": 2, "dynamic": true})"));
}

TEST_CASE("short reproducer: Inductor's injected fault shows in values and in gradients") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const std::string text =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.relu(x) * 2\n"
      "\n\ndef get_inputs():\n    return [torch.tensor([1.0, 2.0])]\n";
  const char* const fault = R"({"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}})";
  // The fault adds one to what relu gives.
  check_prints(facts_with(Kind::numerical, text, leaf_of("output", LeafGroup::output, {1}, "4.0", "6.0"), fault));
}

TEST_CASE("short reproducer: gradients are printed") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  // The weights are drawn from a seed of the harness's own: the second is 0.6229….
  const char* const options =
      GENERATE(R"({"backward": true})", R"({"backward": true, "dynamic": true, "mode": "inductor_compiled_autograd"})");
  auto facts = facts_with(
      Kind::gradient, telling("return x * 2", "return x * 1"),
      leaf_of("gradient.input[0]", LeafGroup::gradient, {1}, "0.6229023933410645", "1.245804786682129"), options);
  check_prints(facts);
  // That all the model returns is one tensor makes it shorter.
  const auto lines = store::code_lines(store::short_repro(facts).text);
  oracle::LeafMeasurement output;
  output.path = "output";
  for (auto& measured : facts.rounds.front().evidence.measurements) measured.leaves.push_back(output);
  CHECK(store::code_lines(store::short_repro(facts).text) == lines - 2);
  check_prints(facts);
}

TEST_CASE("short reproducer: a different state is printed") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  check_prints(facts_with(Kind::mutation, telling("x.add_(1)\n            return x * 2", "return x * 2"),
                          leaf_of("input_after[0]", LeafGroup::input_after, {2}, "2.0", "3.0")));
}

TEST_CASE("short reproducer: a different global is printed, each run from the same start") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto facts = [](const std::string& start, const std::string& change, const oracle::LeafMeasurement& leaf) {
    auto found =
        facts_of(Kind::mutation, telling(change + " 2\n            return x", change + " 1\n        return x"));
    found.finding.reduced.insert(found.finding.reduced.find("class Model"), start + "\n\n\n");
    put_leaf(found, leaf);
    return found;
  };
  const auto number = [](const std::string& path) { return leaf_of(path, LeafGroup::state, {}, "2.0", "3.0"); };
  check_prints(facts("SEEN = {'sum': 1.0}", "SEEN['sum'] +=", number("global.SEEN['sum']")));
  check_prints(facts("at_start = [1.0]", "at_start[0] +=", number("global.at_start[0]")));
  check_prints(
      facts("SEEN = torch.ones(3)", "SEEN.data +=", leaf_of("global.SEEN", LeafGroup::state, {2}, "2.0", "3.0")));
}

TEST_CASE("short reproducer: different metadata is printed") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto metadata = [](const std::string& detail) {
    oracle::LeafMeasurement leaf;
    leaf.path = "output";
    leaf.type_differs = true;
    leaf.detail = detail;
    return leaf;
  };
  check_prints(facts_with(Kind::metadata, telling("return x.long()", "return x.int()"),
                          metadata("dtype int32 vs int64; 0 of 4 elements differ")));
  check_prints(facts_with(Kind::metadata, telling("return x.view(2, 2)", "return x.view(2, 2)[:1].clone()"),
                          metadata("shape [1, 2] vs [2, 2]")));
  check_prints(facts_with(Kind::metadata, telling("return x.view(2, 2)", "return x.clone()"),
                          metadata("shares memory with nothing vs input_after[0]")));
}

TEST_CASE("short reproducer: the exception ends the traceback") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  auto facts = facts_of(Kind::missing_check, telling("return x", "raise RuntimeError('index out of range')"));
  check_raises(facts);
  auto raising = facts_of(Kind::behaviour, telling("raise AssertionError('lowering of x failed')", "return x"),
                          R"({"fullgraph": true})");
  auto& compiled = raising.rounds.front().evidence.outcomes[oracle::Mode::inductor].error;
  compiled->outer_class = "Unsupported";
  compiled->message = "";
  check_raises(raising);
}
