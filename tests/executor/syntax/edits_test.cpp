#include <algorithm>
#include <map>
#include <set>

#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

namespace {

struct Row {
  std::string expression, description, result;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"torch.sin(x)", "sin → cos", "torch.cos(x)"},
      {"F.relu(x)", "relu → silu", "F.silu(x)"},
      {"x.sum(dim=1)", "sum → amax", "x.amax(dim=1)"},
      {"x.sin() + x", "+ → -", "x.sin() - x"},
      {"x.sin() * 2.5", "2.5 → 100.0", "x.sin() * 100.0"},
      {"F.elu(x, 0.25)", "0.25 → 1e30", "F.elu(x, 1e30)"},
      {"torch.maximum(x, x)", "maximum → minimum", "torch.minimum(x, x)"},
      {"x.tanh() > 0.5", "> → <=", "x.tanh() <= 0.5"},
      {"torch.floor(x)", "floor → trunc", "torch.trunc(x)"},
      {"torch.abs(x)", "clone", "torch.abs((x).clone())"},
      {"torch.abs(x)", "double transpose", "torch.abs((x).transpose(-1, -2).transpose(-1, -2))"},
      {"torch.abs(x)", "its alias", "torch.abs((x).view_as((x)))"},
      {"torch.abs(x)", "input x adds in place", "x.add_(1)\n        return torch.abs(x)"},
      {"x.abs()", "abs → abs_", "x.abs_()"},
      {"torch.abs(x)", "input 0 lies transposed",
       "(torch.randn(2, 3)).transpose(-1, -2).contiguous().transpose(-1, -2)"},
      {"torch.abs(x)", "input 0 is one row expanded", "(lambda t: t[:1].expand(t.shape))(torch.randn(2, 3))"},
      {"torch.abs(x)", "input 0 in bfloat16", "(torch.randn(2, 3)).to(torch.bfloat16)"},
      {"x.to(torch.int64)", "int64 → int32", "x.to(torch.int32)"},
      {"torch.abs(x)", "an operand in float64", "torch.abs((x).to(torch.float64))"},
      {"torch.abs(x)", "size 3 → 17", "torch.randn(2, 17)"},
      {"x.roll(2, 1)", "1 → 0", "x.roll(2, 0)"},
      {"torch.abs(x)", "input 0 without its first dimension", "(torch.randn(2, 3))[0]"},
      {"torch.abs(x)", "input 0 is large", "(torch.randn(2, 3)) * 1000"},
      {"torch.abs(x)", "option dynamic", "OPTIONS = {'dynamic': True}"},
      {"torch.abs(x)", "option backward", "OPTIONS = {'backward': True, 'grad': True}"},
      {"torch.abs(x)", "option max_autotune", "OPTIONS = {'mode': 'inductor_max_autotune'}"},
  };
  return table;
}

/// The first mutant that this edit alone makes.
std::string made_by(const std::vector<Mutant>& mutants, const std::string& description) {
  for (const Mutant& mutant : mutants) {
    if (mutant.description.find(description) == 0 && mutant.description.find(';') == std::string::npos) {
      return mutant.program;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("each kind of edit is offered and does what its name says") {
  StartedSyntax syntax;
  for (const Row& row : rows()) {
    CAPTURE(row.expression, row.description);
    std::string mutant;
    for (std::uint64_t seed = 0; mutant.empty() && seed < 8; ++seed) {
      const auto mutants = syntax.mutants(program_returning(row.expression), {}, seed, 256);
      REQUIRE(mutants.has_value());
      mutant = made_by(*mutants, row.description);
    }
    CHECK(holds(mutant, row.result));
  }
}

TEST_CASE("mutants parse, differ from the program and each other, and are of every kind") {
  StartedSyntax syntax;
  const std::string program =
      program_returning("F.gelu(x).mean(dim=0, keepdim=True) - torch.exp(x) / 2.0 + x.cumsum(1)");
  const auto mutants = syntax.mutants(program, {program_returning("torch.sin(x)")}, 1, 256);
  REQUIRE(mutants.has_value());
  CHECK(mutants->size() == 256);
  std::set<std::string> texts{program};
  std::map<std::string, int> kinds;
  for (const Mutant& mutant : *mutants) {
    CAPTURE(mutant.description);
    CHECK(texts.insert(mutant.program).second);
    const auto normalised = syntax.normalise(mutant.program);
    REQUIRE(normalised.has_value());
    CHECK(normalised->fixes.empty());
    ++kinds[mutant.kind];
  }
  for (const char* kind :
       {"operator", "dtype", "shape", "layout", "view", "constant", "option", "splice", "layout+view"}) {
    CAPTURE(kind);
    CHECK(kinds[kind] > 0);
  }
}

TEST_CASE("mutants vary the parts that a hypothesis names first") {
  StartedSyntax syntax;
  const std::string program = program_returning("torch.cat([x, x * 2.5]).transpose(0, 1)");
  const auto mutants =
      syntax.mutants(program, {program_returning("torch.sin(x)")}, 1, 60,
                     "_inductor/lowering.py:cat:2160: for inputs of two dtypes the result has the first's");
  REQUIRE(mutants.has_value());
  REQUIRE(mutants->size() > 10);
  for (const Mutant& mutant : *mutants) {
    CAPTURE(mutant.kind, mutant.description);
    CHECK(mutant.kind.find("dtype") != std::string::npos);
  }
}

TEST_CASE("mutants are determined by program, seed and count") {
  StartedSyntax syntax;
  const std::string program = program_returning("torch.sin(x) + x.sum()");
  const auto texts = [&](std::uint64_t seed, int count) {
    std::vector<std::string> found;
    const auto mutants = syntax.mutants(program, {}, seed, count);
    REQUIRE(mutants.has_value());
    for (const Mutant& mutant : *mutants) found.push_back(mutant.program);
    return found;
  };
  const auto once = texts(5, 20);
  CHECK(once.size() == 20);
  CHECK(once == texts(5, 20));
  CHECK(once != texts(6, 20));
  CHECK(texts(5, 0).empty());
}

TEST_CASE("spliced programs keep their names apart, and text that is not a program gives no mutants") {
  StartedSyntax syntax;
  const std::string one =
      "import torch\n\nSCALE = 2\n\n\ndef twice(t):\n    return t * SCALE\n\n\nclass Model(torch.nn.Module):\n"
      "    def forward(self, x):\n        return twice(x)\n\n\ndef get_inputs():\n    return [torch.randn(2)]\n";
  const std::string other =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
      "        self.n = n\n\n    def forward(self, a, b):\n        return a + b * self.n\n\n\n"
      "def get_init_inputs():\n    return [3]\n\n\ndef get_inputs():\n    return [torch.randn(2), torch.randn(2)]\n";
  const auto mutants = syntax.mutants(one, {other}, 3, 100);
  REQUIRE(mutants.has_value());
  const auto spliced =
      std::find_if(mutants->begin(), mutants->end(), [](const Mutant& m) { return m.kind == "splice"; });
  REQUIRE(spliced != mutants->end());
  for (const char* text : {"SCALE_a = 2", "return t * SCALE_a", "class Model_a(", "class Model_b(", "class Model(",
                           "self.two = Model_b(*get_init_inputs_b())", "def forward(self, x0, y0, y1)",
                           "return [*get_inputs_a(), *get_inputs_b()]"}) {
    CAPTURE(text, spliced->program);
    CHECK(holds(spliced->program, text));
    CHECK_FALSE(holds(spliced->program, "while "));  // less a line it might be one without end
  }
  CHECK(syntax.mutants("import torch\n")->empty());
  CHECK_FALSE(syntax.mutants("def (:\n").has_value());
  CHECK(syntax.mutants(one, {"def (:\n"})->size() > 100);  // what cannot be spliced is passed over
}

TEST_CASE("edits do not break operators on complex numbers or format strings") {
  StartedSyntax syntax;
  const auto complex_ones = syntax.mutants(program_returning("torch.fft.fft(x).abs().sin()"));
  for (const Mutant& mutant : *complex_ones) {
    CAPTURE(mutant.description);
    CHECK_FALSE(holds(mutant.description, "sin → erf"));
    CHECK_FALSE(holds(mutant.description, "→ asinh"));
  }
  const auto formatted = syntax.mutants(program_returning("x.sin() if f\"{x.cos()}\" else x"));
  for (const Mutant& mutant : *formatted) {
    CHECK_FALSE(holds(mutant.description, "cos → tan"));
  }
}

TEST_CASE("the outline names operators and counts statements") {
  StartedSyntax syntax;
  const std::string program =
      "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\nclass Model(nn.Module):\n    def "
      "__init__(self):\n"
      "        super().__init__()\n        self.a = nn.Linear(2, 2)\n\n    def forward(self, x):\n        if x.dim() > "
      "1:\n"
      "            x = torch.nn.functional.pad(x, (1, 1)).view(-1)\n        return F.relu(torch.sin(self.a(x)))\n\n\n"
      "def get_inputs():\n    return [torch.randn(2)]\n";
  const auto outline = syntax.outline(program);
  REQUIRE(outline.has_value());
  CHECK(outline->operators == std::vector<std::string>{".dim", ".view", "F.pad", "F.relu", "nn.Linear", "torch.sin"});
  CHECK(outline->statements == 3);
}
