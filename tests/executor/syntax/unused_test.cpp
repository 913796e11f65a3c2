#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;
using parityd::executor::UnreadLocals;

TEST_CASE("unused code is removed until nothing changes") {
  StartedSyntax syntax;
  const auto result = syntax.tidied(
      "import math\nimport torch\nimport torch.nn.functional as F\nfrom typing import List, Optional\nfrom torch "
      "import nn\n\n"
      "SCALE = 3\n\n\ndef inner(x):\n    return math.sqrt(x)\n\n\ndef outer(x):\n    return inner(x)\n\n\nclass "
      "Spare(nn.Module):\n"
      "    pass\n\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.used = "
      "nn.Linear(2, 2)\n"
      "        self.unused = Spare()\n        self.width = 3\n\n    def helper(self, x):\n        return F.relu(x)\n\n"
      "    def forward(self, x: Optional[int]):\n        a = torch.sin(x)\n        b = a + 1\n        c = "
      "self.used(x)\n"
      "        return c\n\n\ndef get_inputs():\n    return [torch.randn(1, 2)]\n\n\nOPTIONS = {\"train\": True}\n");
  REQUIRE(result.has_value());
  INFO(*result);
  for (const std::string gone :
       {"math", "F", "List", "SCALE", "inner", "outer", "Spare", "unused", "width", "helper", "sin", "a + 1"}) {
    CAPTURE(gone);
    CHECK_FALSE(holds(*result, gone == "F" ? " F" : gone));
  }
  for (const std::string kept :
       {"import torch\n", "import Optional", "self.used = nn.Linear", "c = self.used(x)", "OPTIONS", "get_inputs"}) {
    CAPTURE(kept);
    CHECK(holds(*result, kept));
  }
  CHECK(*syntax.tidied(*result) == *result);
}

TEST_CASE("a buffer that nothing reads is removed") {
  StartedSyntax syntax;
  const std::string head =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
      "        self.register_buffer(\"idle\", torch.zeros(1))\n"
      "        self.register_buffer(\"steps\", torch.zeros(1), persistent=False)\n\n    def forward(self, x):\n";
  const std::string tail = "\n\n\ndef get_inputs():\n    return [torch.randn(1, 2)]\n";
  const auto result = syntax.tidied(head + "        return x + self.steps" + tail);
  REQUIRE(result.has_value());
  CHECK_FALSE(holds(*result, "idle"));
  CHECK(holds(*result, "\"steps\""));
  for (const std::string reading : {"self.get_buffer(\"idle\")", "len(list(self.buffers()))", "self._buffers[x]"}) {
    CAPTURE(reading);
    std::string program = head;
    program.append("        return x + ").append(reading).append(tail);
    const auto kept = syntax.tidied(program);
    REQUIRE(kept.has_value());
    CHECK(holds(*kept, "\"idle\", torch.zeros(1)"));
  }
}

TEST_CASE("code that may have an effect is kept") {
  StartedSyntax syntax;
  for (const std::string line : {"y = x.add_(1)", "y = torch.add(x, 1, out=x)", "y = self.bn(x)", "y = torch.rand(3)",
                                 "y = F.dropout(x)", "x[0] = 1", "y = log.append(1)", "y = F.relu(x, inplace=True)",
                                 "assert x.sum() > 0", "torch.manual_seed(1)", "y = helper(x)"}) {
    CAPTURE(line);
    std::string program = program_returning("x");
    program.replace(program.find("        return x\n"), 0, "        " + line + "\n");
    const auto result = syntax.tidied(program);
    REQUIRE(result.has_value());
    CHECK(holds(*result, line));
  }
}

TEST_CASE("a body that loses all its statements still parses") {
  StartedSyntax syntax;
  std::string program = program_returning("x");
  program.replace(program.find("        return x\n"), 0,
                  "        if x.dim() > 1:\n            a = x.sin()\n            b = x.cos()\n");
  const auto result = syntax.tidied(program);
  REQUIRE(result.has_value());
  CHECK_FALSE(holds(*result, "cos"));
  CHECK(syntax.normalise(*result).has_value());
}

TEST_CASE("assignments that nobody reads may stay because computing them may raise") {
  StartedSyntax syntax;
  std::string program = program_returning("x");
  program.replace(program.find("        return x\n"), 0,
                  "        try:\n            y = x @ x\n        except RuntimeError:\n            y = x.sin()\n");
  CHECK_FALSE(holds(*syntax.tidied(program), "x @ x"));
  const auto kept = syntax.tidied(program, UnreadLocals::stay);
  REQUIRE(kept.has_value());
  CHECK(holds(*kept, "x @ x"));
  CHECK_FALSE(holds(*kept, "functional"));
  CHECK(holds(syntax.plain(program, UnreadLocals::stay)->program, "x @ x"));
}
