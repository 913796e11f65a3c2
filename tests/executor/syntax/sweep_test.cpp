// A sweep around a finding: one thing changed in each program, every aspect in its turn.
#include <algorithm>
#include <set>

#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

namespace {

std::string program(const std::string& expression, const std::string& more = "") {
  return "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " + expression +
         "\n\n\ndef get_inputs(scale=1):\n    return [torch.randn(4 * scale, 33)]\n" + more;
}

const ProgramVariant* find(const std::vector<ProgramVariant>& sweep, const std::string& aspect,
                           const std::string& value) {
  const auto found =
      std::ranges::find_if(sweep, [&](const auto& each) { return each.aspect == aspect && each.value == value; });
  return found == sweep.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("sweep: siblings that run the changed code replace the operator, the nearest first") {
  StartedSyntax syntax;
  const auto sweep = syntax.sweep({.program = program("torch.add(x, x).add(1)"),
                                   .operator_name = "add",
                                   .siblings = {"hypot", "sub", "add_backward"},
                                   .most = 100});
  REQUIRE(sweep.front().aspect == "siblings");
  CHECK(sweep.front().value == "sub");  // of the same family: it takes the same arguments
  CHECK(holds(*sweep.front().program, "torch.sub(x, x).sub(1)"));
  CHECK(find(sweep, "siblings", "hypot") != nullptr);
  CHECK(find(sweep, "siblings", "add_backward") == nullptr);
}

TEST_CASE("sweep: an operator written as a sign is replaced, too") {
  StartedSyntax syntax;
  const auto sweep =
      syntax.sweep({.program = program("x * x"), .operator_name = "mul", .siblings = {"sub"}, .most = 100});
  const auto* const sub = find(sweep, "siblings", "sub");
  REQUIRE(sub != nullptr);
  CHECK(holds(*sub->program, "return x - x"));
}

TEST_CASE("sweep: division that rounds is a sibling of the remainder, whether it is a sign or a call") {
  StartedSyntax syntax;
  const auto sign =
      syntax.sweep({.program = program("(x + 1) % x"), .operator_name = "remainder", .siblings = {"div"}, .most = 100});
  const auto* const floored = find(sign, "siblings", R"(div(rounding_mode="floor"))");
  REQUIRE(floored != nullptr);
  CHECK(holds(*floored->program, R"(return torch.div((x + 1) , x, rounding_mode="floor"))"));
  REQUIRE(find(sign, "siblings", "fmod") != nullptr);
  CHECK(holds(*find(sign, "siblings", "fmod")->program, "return torch.fmod((x + 1) , x)"));

  const auto call = syntax.sweep(
      {.program = program("torch.remainder(x, 3.0)"), .operator_name = "remainder", .siblings = {}, .most = 100});
  const auto* const truncated = find(call, "siblings", R"(div(rounding_mode="trunc"))");
  REQUIRE(truncated != nullptr);
  CHECK(holds(*truncated->program, R"(return torch.div(x, 3.0, rounding_mode="trunc"))"));
}

TEST_CASE("sweep: an argument that only one operator takes goes with it") {
  StartedSyntax syntax;
  const auto sweep = syntax.sweep({.program = program(R"(torch.div(x, 3.0, rounding_mode="floor"))"),
                                   .operator_name = "div",
                                   .siblings = {"remainder"},
                                   .most = 100});
  REQUIRE(find(sweep, "siblings", "remainder") != nullptr);
  CHECK(holds(*find(sweep, "siblings", "remainder")->program, "return torch.remainder(x, 3.0)"));
  REQUIRE(find(sweep, "siblings", R"(div(rounding_mode="trunc"))") != nullptr);
  CHECK(holds(*find(sweep, "siblings", R"(div(rounding_mode="trunc"))")->program,
              R"(torch.div(x, 3.0, rounding_mode="trunc"))"));
}

TEST_CASE("sweep: gradients, dynamic shapes, dtypes, limits, scalars, ranks, sizes and layouts each get their turn") {
  StartedSyntax syntax;
  const auto sweep = syntax.sweep(
      {.program = program("x.clamp(max=3)"), .operator_name = "clamp", .siblings = {"clamp_min"}, .most = 10});
  std::set<std::string> aspects;
  for (const auto& each : sweep) {
    aspects.insert(each.aspect);
    CHECK(each.program.has_value());
  }
  CHECK(aspects == std::set<std::string>{"siblings", "gradients", "dynamic shapes", "limits", "dtypes", "scalars",
                                         "ranks", "sizes", "values", "layouts"});
  CHECK(sweep.size() == 10);
}

TEST_CASE("sweep: a scalar that the dtype cannot hold is tried with it") {
  StartedSyntax syntax;
  const auto sweep = syntax.sweep({.program = program("torch.full_like(x.to(torch.int64), 3)"),
                                   .operator_name = "full_like",
                                   .siblings = {},
                                   .most = 200});
  const auto* const limit = find(sweep, "limits", "int8, 3 → 300");
  REQUIRE(limit != nullptr);
  CHECK(holds(*limit->program, "torch.full_like(x.to(torch.int8), (300))"));
}

TEST_CASE("sweep: options are written into the program") {
  StartedSyntax syntax;
  const auto sweep = syntax.sweep({.program = program("x.sin()"), .operator_name = "sin", .siblings = {}, .most = 100});
  CHECK(find(sweep, "gradients", "with gradients")->options_text == R"({"backward":true,"grad":true})");
  CHECK(find(sweep, "dynamic shapes", "two sizes")->options_text == R"({"calls":2,"dynamic":true})");
  const auto back = syntax.sweep({.program = program("x.sin()", "OPTIONS = {'backward': True, 'grad': True}\n"),
                                  .operator_name = "sin",
                                  .siblings = {},
                                  .most = 100});
  CHECK(find(back, "gradients", "without gradients")->options_text == R"({"backward":false,"grad":true})");
}
