#include <set>

#include "tests/executor/syntax/fixture.h"

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
      {"torch.maximum(x, x)", "maximum → minimum", "torch.minimum(x, x)"},
      {"x.tanh() > 0.5", "> → <=", "x.tanh() <= 0.5"},
      {"torch.floor(x)", "floor → trunc", "torch.trunc(x)"},
      {"torch.abs(x)", "clone", "torch.abs((x).clone())"},
      {"torch.abs(x)", "double transpose", "torch.abs((x).transpose(-1, -2).transpose(-1, -2))"},
      {"torch.abs(x)", "input x lies transposed", "torch.randn(2, 3).transpose(-1, -2).contiguous().transpose(-1, -2)"},
      {"torch.abs(x)", "inputs in float64", "torch.randn(2, 3, dtype=torch.float64)"},
      {"torch.abs(x)", "option dynamic", "OPTIONS = {'dynamic': True}"},
      {"torch.abs(x)", "option backward", "OPTIONS = {'backward': True, 'grad': True}"},
  };
  return table;
}

}  // namespace

TEST_CASE("each kind of edit is offered and does what it says") {
  Syntax syntax;
  for (const Row& row : rows()) {
    CAPTURE(row.expression, row.description);
    const std::string program = program_returning(row.expression);
    const auto outline = syntax.outline(program);
    REQUIRE(outline.has_value());
    bool offered = false;
    for (const auto& edit : outline->edits) {
      if (edit.description.find(row.description) != 0) continue;
      offered = true;
      const auto edited = syntax.apply(program, {edit.id});
      REQUIRE(edited.has_value());
      CHECK(holds(*edited, row.result));
      break;
    }
    CHECK(offered);
  }
}

TEST_CASE("every offered edit has its own id and changes the program") {
  Syntax syntax;
  const std::string program =
      program_returning("F.gelu(x).mean(dim=0, keepdim=True) - torch.exp(x) / 2.0 + x.cumsum(1)");
  const auto outline = syntax.outline(program);
  REQUIRE(outline.has_value());
  CHECK(outline->edits.size() > 20);
  std::set<std::string> ids;
  for (const auto& edit : outline->edits) {
    CAPTURE(edit.id);
    CHECK(ids.insert(edit.id).second);
    const auto edited = syntax.apply(program, {edit.id});
    REQUIRE(edited.has_value());
    CHECK(*edited != program);
    CHECK(syntax.normalise(*edited)->fixes.empty());
  }
}

TEST_CASE("edits of one place: the first wins, the rest are left out") {
  Syntax syntax;
  const std::string program = program_returning("torch.sin(x)");
  const auto outline = syntax.outline(program);
  REQUIRE(outline.has_value());
  std::string to_cos, to_tanh;
  for (const auto& edit : outline->edits) {
    if (edit.description.find("sin → cos") == 0) to_cos = edit.id;
    if (edit.description.find("sin → tanh") == 0) to_tanh = edit.id;
  }
  const auto edited = syntax.apply(program, {to_cos, to_tanh});
  REQUIRE(edited.has_value());
  CHECK(*edited == program_returning("torch.cos(x)"));
  const auto unknown = syntax.apply(program, {"0:operator:nothing"});
  REQUIRE_FALSE(unknown.has_value());
  CHECK(holds(unknown.error().message, "no edit"));
}

TEST_CASE("what an edit could break is not offered") {
  Syntax syntax;
  const auto kinds = [&](const std::string& expression) {
    std::set<std::string> found;
    const auto outline = syntax.outline(program_returning(expression));
    for (const auto& edit : outline->edits) found.insert(edit.description);
    return found;
  };
  for (const std::string& description : kinds("torch.fft.fft(x).abs().sin()")) {
    CHECK_FALSE(holds(description, "sigmoid → erf"));
    CHECK_FALSE(holds(description, "→ asinh"));
  }
  for (const std::string& description : kinds("x.view(3, 2)")) CHECK_FALSE(holds(description, "lies transposed"));
  for (const std::string& description : kinds("x.shape[0] + 1")) CHECK_FALSE(holds(description, "→ 3"));
  for (const std::string& description : kinds("x.add_(1)")) CHECK_FALSE(holds(description, "backward"));
}

TEST_CASE("the outline names operators and counts statements") {
  Syntax syntax;
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
