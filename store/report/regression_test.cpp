// The regression test of a finding: the program, what runs it eager and compiled, and one TestCase.
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "store/base/text.h"
#include "store/report/draws_repro.h"
#include "store/report/repro_parts.h"

namespace parityd::store {
namespace {

using oracle::Kind;

/// PyTorch's suite names tests after what they try: "test_max_dim_numerical".
std::string test_name(const DraftFacts& facts) {
  std::string words;
  for (const std::string& whole : facts.finding.operators) {
    const std::string name = whole.substr(whole.starts_with("aten.") ? 5 : 0);
    words += "_" + name.substr(0, name.find('.'));
    if (words.size() > 40) break;
  }
  for (char& character : words) {
    if (std::isalnum(static_cast<unsigned char>(character)) == 0) character = '_';
  }
  return fmt::format("test{}_{}", words, oracle::name(facts.finding.kind));
}

std::string test_imports(const ReproPlan& plan, const std::string& program) {
  std::string text;
  if (plan.random) text += "import random\n";
  if (plan.in_child) text += "import subprocess\nimport sys\n";
  if (plan.cuda) text += "import unittest\n";
  if (!text.empty()) text += "\n";
  if (program.find("import torch\n") == std::string::npos) text += "import torch\n";
  return text +
         "import torch._dynamo.config\nimport torch._inductor.config\n"
         "from torch.testing._internal.common_utils import run_tests, TestCase\n"
         "from torch.utils._pytree import tree_leaves, tree_map_only\n";
}

/// Eager's exception where Python knows its name; any exception otherwise.
std::string eager_error(const DraftFacts& facts) {
  static constexpr std::array<std::string_view, 6> kBuiltin{"RuntimeError", "ValueError",     "IndexError",
                                                            "TypeError",    "AssertionError", "NotImplementedError"};
  for (const EvidenceRow& round : facts.rounds) {
    const auto* eager = round.evidence.outcome(oracle::Mode::eager);
    if (eager == nullptr || !eager->error) continue;
    for (const std::string_view name : kBuiltin) {
      if (eager->error->inner_class == name) return std::string(name);
    }
  }
  return "Exception";
}

std::string compared(const ReproPlan& plan) {
  std::string text = "        " + repro_settings(plan) +
                     "            eager = repro_run(compiled=False)\n"
                     "            compiled = repro_run(compiled=True)\n"
                     "        self.assertEqual(compiled, eager)\n";
  if (plan.layout) text += "        self.assertEqual(repro_layout(compiled), repro_layout(eager))\n";
  return text;
}

std::string runs(const ReproPlan& plan) {
  return "        " + repro_settings(plan) +
         "            repro_run(compiled=False)\n"
         "            repro_run(compiled=True)  # raised when this was written; eager does not\n";
}

std::string raises(const ReproPlan& plan, const std::string& error) {
  return fmt::format(
      "        {}"
      "            with self.assertRaises({}):\n"
      "                repro_run(compiled=False)\n"
      "            with self.assertRaises(Exception):  # compilers wrap what eager raises\n"
      "                repro_run(compiled=True)\n",
      repro_settings(plan), error);
}

std::string lives(Kind kind) {
  return fmt::format(
      "        command = [sys.executable, __file__, \"--compiled\"]\n"
      "        try:\n"
      "            status = subprocess.run(command, timeout={0}).returncode\n"
      "        except subprocess.TimeoutExpired:\n"
      "            self.fail(\"the compiled program did not end within {0} s\")\n"
      "        self.{1}(status, 0, \"the compiled program {2}\")\n",
      kLimitSeconds, kind == Kind::crash ? "assertGreaterEqual" : "assertEqual",
      kind == Kind::crash ? "died of a signal" : "failed");
}

std::string body(const DraftFacts& facts, const ReproPlan& plan) {
  if (plan.in_child) return lives(facts.finding.kind);
  if (facts.finding.kind == Kind::behaviour) return runs(plan);
  return facts.finding.kind == Kind::missing_check ? raises(plan, eager_error(facts)) : compared(plan);
}

std::string main_block(const ReproPlan& plan) {
  std::string text = "if __name__ == \"__main__\":\n";
  if (!plan.in_child) return text + "    run_tests()\n";
  return text + "    if \"--compiled\" in sys.argv:  # the process that may die\n        " + repro_settings(plan) +
         "            repro_run(compiled=True)\n"
         "    else:\n        run_tests()\n";
}

}  // namespace

std::string render_regression_test(const DraftFacts& facts) {
  const ReproPlan plan = repro_plan(facts);
  const std::string program = repro_program(facts);
  const std::string skip =
      plan.cuda ? "@unittest.skipIf(not torch.cuda.is_available(), \"needs a CUDA device\")\n" : "";
  const auto drawn = drawn_number(facts);
  const std::string runs = drawn ? draws_functions(plan, program, *drawn) + "\n\n" + draws_verdict(*drawn) + "\n\n"
                                 : repro_header(plan, "\"inductor\"") + "\n\n" + repro_helpers(plan, program) + "\n\n" +
                                       repro_run_function(plan) + "\n\n" + (plan.layout ? repro_layout_function() : "");
  const std::string harness =
      runs + skip +
      fmt::format("class TestFinding{}(TestCase):\n    def {}(self):\n{}\n\n", facts.finding.id, test_name(facts),
                  drawn ? "        self.assertFalse(repro_shown())\n" : body(facts, plan)) +
      main_block(plan);
  return fmt::format(
      "# Owner(s): [\"oncall: pt2\"]\n"
      "# Fails while the bug is there. Seen with torch {} on {}: {}\n"
      "{}\n{}\n\n\n{}",
      clean_line(facts.finding.torch), plan.cuda ? "cuda" : "cpu",
      shortened(clean_line(facts.finding.explanation), 160), test_imports(plan, program), program,
      without_clashes(harness, program));
}

}  // namespace parityd::store
