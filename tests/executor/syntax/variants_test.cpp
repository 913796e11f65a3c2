// Variants of a reduced program: one thing changed, the rest kept.
#include <algorithm>

#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

namespace {

std::string program(const std::string& expression, const std::string& inputs, const std::string& more = "") {
  return "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " + expression +
         "\n\n\ndef get_inputs():\n    return [" + inputs + "]\n" + more;
}

std::vector<std::string> values(const std::vector<ProgramVariant>& variants, const std::string& aspect) {
  std::vector<std::string> found;
  for (const auto& variant : variants) {
    if (variant.aspect == aspect) found.push_back(variant.value);
  }
  return found;
}

/// The text of the one variant that changes this aspect to this value.
std::string text(const std::vector<ProgramVariant>& variants, const std::string& aspect, const std::string& value) {
  for (const auto& variant : variants) {
    if (variant.aspect == aspect && variant.value == value) return variant.program.value_or("the program itself");
  }
  return "not offered";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("variants: siblings of an operator are tried, the program's own first") {
  StartedSyntax syntax;
  const auto found = syntax.variants(program("torch.argmax(x * 2, dim=1)", "torch.randn(2, 33)"));
  CHECK(values(found, "operators") == Names{"argmax", "argmin"});
  CHECK(text(found, "operators", "argmax") == "the program itself");
  CHECK(text(found, "operators", "argmin") == program("torch.argmin(x * 2, dim=1)", "torch.randn(2, 33)"));
}

TEST_CASE("variants: the suspected operator is replaced before the last one") {
  StartedSyntax syntax;
  const std::string both = program("torch.floor(x).cumsum(0)", "torch.randn(3)");
  CHECK(values(syntax.variants(both), "operators").front() == "cumsum");
  CHECK(values(syntax.variants(both, "aten.floor.default"), "operators").front() == "floor");
  CHECK(values(syntax.variants(program("x + x", "torch.randn(3)")), "operators") == Names{"add", "sub", "mul", "div"});
  INFO("arithmetic on numbers is none");
  CHECK(values(syntax.variants(program("torch.arange(2**31, 2**31 + 2)", "torch.randn(3)")), "operators").empty());
}

TEST_CASE("variants: dtypes of one class are tried for the inputs or a cast") {
  StartedSyntax syntax;
  const auto plain = syntax.variants(program("x.sum()", "torch.randn(3)"));
  CHECK(values(plain, "dtypes") == Names{"float32", "float64", "float16", "bfloat16"});
  CHECK(holds(text(plain, "dtypes", "float16"), "(torch.randn(3)).to(torch.float16)"));
  const auto spelt = syntax.variants(program("x.sum()", "torch.ones(3, dtype=torch.int8)"));
  CHECK(values(spelt, "dtypes") == Names{"int8", "int64", "int32", "int16", "uint8"});
  CHECK(holds(text(spelt, "dtypes", "uint8"), "torch.ones(3, dtype=torch.uint8)"));
  const auto cast = syntax.variants(program("x.to(torch.float16) + x.to(torch.float16)", "torch.randn(3)"));
  CHECK(values(cast, "dtypes").front() == "float16");
  CHECK(holds(text(cast, "dtypes", "float64"), "x.to(torch.float64) + x.to(torch.float64)"));
  const auto mixed = syntax.variants(
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, i, x):\n        return x[i]\n\n\n"
      "def get_inputs():\n    return [torch.tensor([1, 0]), torch.ones(2, dtype=torch.int8)]\n");
  REQUIRE(!values(mixed, "dtypes").empty());
  CHECK(values(mixed, "dtypes").front() == "int8");
  CHECK(holds(text(mixed, "dtypes", "int16"), "torch.tensor([1, 0]), torch.ones(2, dtype=torch.int16)"));
  INFO("of what is not computed with there is nothing to be said");
  CHECK(values(syntax.variants(program("torch.arange(3, device=x.device)", "torch.randn(3)")), "dtypes").empty());
  CHECK(!values(syntax.variants(program("x.sum() / x.size(0)", "torch.randn(3)")), "dtypes").empty());
  INFO("what cannot be told is not varied");
  CHECK(values(syntax.variants(program("x.sum()", "make()")), "dtypes").empty());
}

TEST_CASE("variants: sizes are changed by the dimension that they stand for") {
  StartedSyntax syntax;
  const auto found = syntax.variants(program("x.view(33, 2)", "torch.randn(2, 33)"));
  std::vector<std::string> units;
  for (const auto& variant : found) {
    if (variant.aspect == "sizes" && std::find(units.begin(), units.end(), variant.unit) == units.end())
      units.push_back(variant.unit);
  }
  CHECK(units == Names{"columns", "rows"});
  INFO("a size that stands elsewhere too is the same there; a small number may mean anything");
  CHECK(text(found, "sizes", "32") == program("x.view(32, 2)", "torch.randn(2, 32)"));
  CHECK(text(found, "sizes", "16") == program("x.view(33, 2)", "torch.randn(16, 33)"));
  CHECK(text(found, "sizes", "33") == "the program itself");
  CHECK(values(syntax.variants(program("x", "torch.tensor([1.0, 2.0])")), "sizes").empty());
}

TEST_CASE("variants: numbers of threads are tried if the stage is Inductor") {
  StartedSyntax syntax;
  const auto one = syntax.variants(program("x", "torch.randn(3)"), "", {"inductor"});
  CHECK(values(one, "threads") == Names{"1", "8"});
  CHECK(text(one, "threads", "1") == "the program itself");
  CHECK(holds(text(one, "threads", "8"), "OPTIONS = {'threads': 8}"));
  const auto two = syntax.variants(program("x", "torch.randn(3)", "\n\nOPTIONS = {'threads': 2}\n"), "", {"inductor"});
  CHECK(values(two, "threads") == Names{"2", "1", "8"});
  CHECK(holds(text(two, "threads", "1"), "OPTIONS = {'threads': 1}"));
  CHECK(values(syntax.variants(program("x", "torch.randn(3)")), "threads").empty());
}

TEST_CASE("variants: modes keep the other OPTIONS") {
  StartedSyntax syntax;
  const auto found = syntax.variants(program("x", "torch.randn(3)", "\n\nOPTIONS = {'backward': True}\n"), "",
                                     {"inductor", "inductor_freezing"});
  CHECK(values(found, "modes") == Names{"inductor", "inductor_freezing"});
  CHECK(text(found, "modes", "inductor") == "the program itself");
  CHECK(holds(text(found, "modes", "inductor_freezing"), "OPTIONS = {'backward': True, 'mode': 'inductor_freezing'}"));
  CHECK(found.back().options_text == R"({"backward":true,"mode":"inductor_freezing"})");
}
