#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;

namespace {

const std::string kInputs = "\ndef get_inputs():\n    return [torch.randn(2, 3)]\n";

struct Row {
  std::string name, program, fix, present, absent;
};

/// Each program needs exactly one kind of fix: its words, what the text then holds and what it no longer holds.
const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"missing imports",
       "class Model(nn.Module):\n    def forward(self, x):\n        return F.relu(x) * math.pi\n" + kInputs,
       "added import torch.nn.functional as F", "import math\n", ""},
      {"missing names of typing",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x: Optional[int]):\n        return x\n" +
           kInputs,
       "added from typing import Optional", "from typing import Optional\n", ""},
      {"an import after __future__",
       "\"\"\"What.\"\"\"\nfrom __future__ import annotations\nclass Model(torch.nn.Module):\n    def forward(self, "
       "x):\n        return x\n" +
           kInputs,
       "added import torch", "annotations\nimport torch\nclass", ""},
      {".cuda()",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.cuda().sin()\n" +
           kInputs,
       "removed .cuda()", "return x.sin()", "cuda"},
      {".to of a device",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return "
       "x.to('cuda:0').to(\"cuda\", torch.float16)\n" +
           kInputs,
       "removed 'cuda:0'", "return x.to(torch.float16)", "cuda"},
      {"a device keyword",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3, "
       "device='cuda', dtype=torch.half)\n" +
           kInputs,
       "removed device='cuda'", "torch.zeros(3, dtype=torch.half)", "cuda"},
      {"a device constant",
       "import torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nclass "
       "Model(torch.nn.Module):\n    def forward(self, x):\n        return x.to(device) + torch.ones(3, "
       "device=device)\n" +
           kInputs,
       "removed device=device", "return x + torch.ones(3)", "cuda"},
      {"what runs at import",
       "import torch\nSIZE = 3\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x[:SIZE]\n" +
           kInputs +
           "model = Model()\nprint(model(*get_inputs()))\nif __name__ == '__main__':\n    print('done')\nfor i in "
           "range(3):\n    print(i)\n",
       "removed 4 module-level statements", "SIZE = 3\n", "print"},
      {"extra inputs",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\ndef get_inputs():\n  "
       "  return [torch.ones(1), torch.ones(2), 3]\n",
       "removed 2 extra inputs", "return [torch.ones(1),]", "torch.ones(2)"},
      {"another name for the model",
       "import torch\nclass Part(torch.nn.Module):\n    pass\nclass MyNet(torch.nn.Module):\n    def __init__(self):\n "
       "       super(MyNet, self).__init__()\n        self.part = Part()\n" +
           kInputs,
       "renamed MyNet to Model", "class Model(torch.nn.Module)", "MyNet"},
      {"inputs at module level",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, a, b):\n        return a + b\na = "
       "torch.randn(2)\nb = torch.randn(2)\ninputs = [a, b]\n",
       "added get_inputs around module-level inputs",
       "def get_inputs():\n    a = torch.randn(2)\n    b = torch.randn(2)\n    inputs = [a, b]\n    return "
       "[*inputs]\n",
       "\na = torch"},
      {"inputs of a call",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, a):\n        return a\nif __name__ == "
       "'__main__':\n    m = Model()\n    x = torch.randn(4)\n    print(m(x))\n",
       "added get_inputs around module-level inputs", "def get_inputs():\n    x = torch.randn(4)\n    return [x]\n",
       "__name__"},
      {"another name for get_inputs",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\ndef make_inputs():\n "
       "   return (torch.ones(1),)\n",
       "added get_inputs around make_inputs", "return list(make_inputs())", ""},
      {"one tensor for a list",
       "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\ndef get_inputs():\n  "
       "  return torch.randn(2, 2)\n",
       "made get_inputs return a list", "return [torch.randn(2, 2)]", ""},
      {"a forgotten super",
       "import torch\nclass Model(torch.nn.Module):\n    def __init__(self):\n        self.a = torch.nn.ReLU()\n    "
       "def forward(self, x):\n        return self.a(x)\n" +
           kInputs,
       "added super().__init__() to Model", "        super().__init__()\n        self.a", ""},
  };
  return table;
}

}  // namespace

TEST_CASE("every free fix repairs its program and reports it") {
  StartedSyntax syntax;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    const auto result = syntax.normalise(row.program);
    REQUIRE(result.has_value());
    std::string said;
    for (const std::string& fix : result->fixes) said += fix + "\n";
    INFO(result->text);
    CHECK(holds(said, row.fix + "\n"));
    CHECK(holds(result->text, row.present));
    if (!row.absent.empty()) CHECK_FALSE(holds(result->text, row.absent));
    CHECK(result->has_model);
    CHECK(result->has_inputs);
    const auto again = syntax.normalise(result->text);
    REQUIRE(again.has_value());
    CHECK(again->fixes.empty());
    CHECK(again->text == result->text);
  }
}

TEST_CASE("a program that needs no fix is unchanged, comments included") {
  StartedSyntax syntax;
  const std::string program =
      "\"\"\"About.\"\"\"\nimport torch  # needed\n\nWIDTH: int = 4\nNAMES = ('a', 'b')\n\n\nclass "
      "Model(torch.nn.Module):\n"
      "    def forward(self, x):\n        # device of the input, not a named one\n        return x + torch.ones(WIDTH, "
      "device=x.device)\n" +
      kInputs + "\n\nOPTIONS = {'dynamic': True}\n";
  const auto result = syntax.normalise(program);
  REQUIRE(result.has_value());
  CHECK(result->fixes.empty());
  CHECK(result->text == program);
}

TEST_CASE("a step takes all inputs, also those that forward does not take") {
  StartedSyntax syntax;
  const std::string program =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.sin()\n\n\n"
      "def step(model, inputs, state):\n    return model(inputs[0]) - inputs[1]\n\n\n"
      "def get_inputs():\n    return [torch.ones(2), torch.zeros(2)]\n";
  const auto result = syntax.normalise(program);
  REQUIRE(result.has_value());
  CHECK(result->fixes.empty());
  CHECK(result->text == program);
}

TEST_CASE("without permission to fix nothing changes") {
  StartedSyntax syntax;
  const std::string program = "class Net(nn.Module):\n    pass\nprint(1)\n";
  const auto result = syntax.normalise(program, false);
  REQUIRE(result.has_value());
  CHECK(result->text == program);
  CHECK_FALSE(result->has_model);
  CHECK_FALSE(result->has_inputs);
}

TEST_CASE("a truncated program is salvaged if the contract is complete, and refused otherwise") {
  StartedSyntax syntax;
  const std::string whole = program_returning("x.sin()");
  const auto kept = syntax.normalise(whole + "\n\ndef helper(a):\n    return torch.cat([a, a", true, true);
  REQUIRE(kept.has_value());
  CHECK(kept->has_inputs);
  CHECK_FALSE(holds(kept->text, "torch.cat"));
  REQUIRE(kept->fixes.size() == 1);
  CHECK(holds(kept->fixes[0], "cut-off end"));

  const auto lost = syntax.normalise(whole.substr(0, whole.find("return [torch.randn") + 9), true, true);
  REQUIRE_FALSE(lost.has_value());
  CHECK(holds(lost.error().message, "cut off"));

  const auto untouched = syntax.normalise(whole, true, true);
  REQUIRE(untouched.has_value());
  CHECK(untouched->fixes.empty());
}
