// What a program's OPTIONS may say, and what is said of those that may not.
#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;

namespace {

std::string problem_of(StartedSyntax& syntax, const std::string& ending) {
  const auto result = syntax.normalise(program_returning("x.sin()") + ending);
  REQUIRE(result.has_value());
  return result->problem;
}

}  // namespace

TEST_CASE("invalid options are named with their value and what was probably meant") {
  struct Row {
    std::string entry, said;
  };
  const std::vector<Row> rows{
      {"'backwards': True", "OPTIONS['backwards'] = True: there is no such option; did you mean 'backward'?"},
      {"'mode': 'max-autotune'", "did you mean 'inductor_max_autotune'?"},
      {"'mode': 'reduce-overhead'", "did you mean 'inductor_reduce_overhead'?"},
      {"'calls': '2'", "OPTIONS['calls'] = '2': must be a number from 1 to 8; did you mean 2?"},
      {"'calls': 9", "must be a number from 1 to 8"},
      {"'calls': True", "must be a number from 1 to 8"},
      {"'dynamic': 1", "must be True or False; did you mean True?"},
      {"'grad': 'yes'", "did you mean True?"},
      {"'inductor': {'max_autotune': True}", "did you mean 'inductor_config'?"},
      {"'functorch_config': [1]", "must be a dict of settings by name"},
      {"'mark_dynamic': [0, 1]", "must be a list of [number of the input, dimension]"},
      {"'autocast': 'bf16'", "did you mean 'bfloat16'?"},
      {"'default_dtype': 'half'", "did you mean 'float16'?"},
      {"'zzz': 1", "there are train, grad, backward"},
      {"'default_dtype': torch.half", "OPTIONS is not a constant dict"},
  };
  StartedSyntax syntax;
  for (const Row& row : rows) {
    CAPTURE(row.entry);
    const std::string said = problem_of(syntax, "\n\nOPTIONS = {" + row.entry + "}\n");
    CAPTURE(said);
    CHECK(holds(said, row.said));
  }
}

TEST_CASE("valid options are no problem") {
  StartedSyntax syntax;
  const std::string all =
      "OPTIONS = {'train': True, 'grad': False, 'backward': True, 'dynamic': None, 'fullgraph': False, 'mark_dynamic': "
      "[[0, 1]], 'calls': 2, 'dynamo_config': {'a': 1}, 'functorch_config': {'activation_memory_budget': 0.5}, "
      "'inductor_config': {}, 'mode': 'inductor_freezing', 'autocast': 'bfloat16', 'default_dtype': 'float64'}\n";
  CHECK(problem_of(syntax, "\n\n" + all).empty());
  CHECK(problem_of(syntax, "").empty());
  CHECK(holds(problem_of(syntax, "\n\n" + all + "OPTIONS['train'] = False\n"), "OPTIONS is changed here"));
}

TEST_CASE("settings of a module become its options, and existing options are kept") {
  StartedSyntax syntax;
  const auto result = syntax.normalise(
      "import torch._functorch.config\nimport torch._inductor.config as ind\ntorch._functorch.config.cse = False\n"
      "ind.triton.cudagraphs = True\nind.max_fusion_size = 2\ntorch.set_default_dtype(torch.float64)\n" +
      program_returning("x.sin()") + "\n\nOPTIONS = {'inductor_config': {'max_fusion_size': 1}}\n");
  REQUIRE(result.has_value());
  INFO(result->text);
  CHECK(result->problem.empty());
  CHECK(holds(result->text, "'functorch_config': {'cse': False}"));
  CHECK(holds(result->text, "'inductor_config': {'triton.cudagraphs': True, 'max_fusion_size': 1}"));
  CHECK(holds(result->text, "'default_dtype': 'float64'"));
  CHECK_FALSE(holds(result->text, "ind.triton"));
  REQUIRE(!result->fixes.empty());
  CHECK(holds(result->fixes.front(), "line 3: `torch._functorch.config.cse = False` was moved to OPTIONS"));
}
