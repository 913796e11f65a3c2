#include <algorithm>

#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

namespace {

const std::string kProgram = R"(import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 4)

    def forward(self, y):
        return torch.relu(self.linear(y))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(8)

    def forward(self, x, scale):
        n = x.shape[0]
        a = torch.sin(x)  # a wave
        b = self.block(a)
        if n > 2:
            b = b * 0.25
        c = torch.cumsum(b, dim=1) + scale
        return a, c.sum(dim=0, keepdim=True)


def get_inputs():
    return [torch.randn(64, 8), torch.randn(4)]


OPTIONS = {"train": True, "backward": True}
)";

/// What a worker would have noted of it.
const std::string kValues = R"([
  {"line": 10, "name": "y", "shape": [64, 8], "dtype": "float32", "stride": [8, 1], "low": -1.0, "high": 1.0},
  {"line": 19, "name": "x", "shape": [64, 8], "dtype": "float32", "stride": [8, 1], "low": -3.0, "high": 3.0},
  {"line": 20, "name": "n", "value": "64"},
  {"line": 21, "name": "a", "shape": [64, 8], "dtype": "float32", "stride": [8, 1], "low": -1.0, "high": 1.0},
  {"line": 21, "name": "scale", "shape": [4], "dtype": "float32", "stride": [1], "low": 0.1, "high": 0.9},
  {"line": 21, "name": "n", "value": "64"},
  {"line": 22, "name": "b", "shape": [64, 4], "dtype": "float16", "stride": [1, 64], "low": 0.0, "high": 99.0},
  {"line": 22, "name": "scale", "shape": [4], "dtype": "float32", "stride": [1], "low": 0.1, "high": 0.9},
  {"line": 22, "name": "a", "shape": [64, 8], "dtype": "float32", "stride": [8, 1], "low": -1.0, "high": 1.0},
  {"line": 22, "name": "n", "value": "64"}])";

std::vector<std::string> ids_of(const ReductionEdits& edits, const std::string& family) {
  std::vector<std::string> ids;
  for (const auto& edit : edits.edits)
    if (edit.family == family) ids.push_back(edit.id);
  return ids;
}

/// Identifiers of the family's reductions of a program, in their order.
std::vector<std::string> offered(StartedSyntax& syntax, const std::string& program, const std::string& family) {
  const auto edits = syntax.reductions(program);
  REQUIRE(edits.has_value());
  return ids_of(*edits, family);
}

/// The program after the one reduction of the family that is described so.
std::string after(StartedSyntax& syntax, const std::string& family, const std::string& described) {
  const auto edits = syntax.reductions(kProgram, kValues);
  REQUIRE(edits.has_value());
  for (const auto& edit : edits->edits) {
    if (edit.family == family && holds(edit.description, described)) {
      const auto reduced = syntax.reduced(kProgram, {edit.id}, kValues);
      REQUIRE(reduced.has_value());
      return reduced->program;
    }
  }
  FAIL("no " << family << " described as " << described);
  return "";
}

}  // namespace

TEST_CASE("reductions: outputs are cut to one and what it does not need is removed") {
  StartedSyntax syntax;
  const auto text = after(syntax, "output", "only output a");
  CHECK(holds(text, "return a\n"));
  for (const std::string gone : {"cumsum", "scale", "torch.randn(4)"}) {
    CAPTURE(gone);
    CHECK_FALSE(holds(text, gone));
  }
}

TEST_CASE("reductions: a statement whose names are unused is removed even where such names are kept") {
  StartedSyntax syntax;
  const std::string program = program_with("        a, b = make()\n        c = make()\n        return x + c\n");
  const auto ids = offered(syntax, program, "statement");
  REQUIRE(ids.size() == 1);
  CHECK_FALSE(holds(syntax.reduced(program, ids, "[]", UnreadLocals::stay)->program, "a, b"));
}

TEST_CASE("reductions: a collection is cut to one item and the collection is removed") {
  StartedSyntax syntax;
  for (const std::string collects : {"kept.append(x.sin())", "kept['s'] = x.sin()"}) {
    CAPTURE(collects);
    const std::string program =
        program_with("        kept = make()\n        " + collects + "\n        kept.clear()\n        return kept\n");
    const auto ids = offered(syntax, program, "output");
    REQUIRE(ids.size() == 1);
    CHECK(holds(syntax.reduced(program, ids)->program, "make()\n        return x.sin()\n"));
  }
}

TEST_CASE("reductions: the program may end in the middle") {
  StartedSyntax syntax;
  const auto text = after(syntax, "end", "ends after line 22");
  CHECK(holds(text, "return b\n"));
  CHECK_FALSE(holds(text, "cumsum"));
}

TEST_CASE("reductions: the program may begin in the middle with computed values as inputs of the same kind") {
  StartedSyntax syntax;
  const auto text = after(syntax, "begin", "begins at line 23");
  CHECK_FALSE(holds(text, "torch.sin"));
  CHECK_FALSE(holds(text, "Block"));
  CHECK(holds(text, "n = 64"));
  // Column-major, half, from 0 to 99.
  CHECK(holds(text, "torch.rand(4, 64, dtype=torch.float16) * 128).permute(1, 0)"));
  CHECK(holds(text, "def forward(self, scale, a, b)"));
}

TEST_CASE("reductions: a statement is removed and its name becomes an input") {
  StartedSyntax syntax;
  const auto text = after(syntax, "statement", "without line 22, b as input");
  CHECK_FALSE(holds(text, "self.block"));
  CHECK(holds(text, "torch.sin"));
  CHECK(holds(text, "def forward(self, x, scale, b)"));
}

TEST_CASE("reductions: a module of the program becomes the model") {
  StartedSyntax syntax;
  const auto text = after(syntax, "module", "Block alone");
  CHECK(holds(text, "class Model(nn.Module):\n    def __init__(self):"));
  CHECK(holds(text, "self.linear = nn.Linear(8, 4)"));
  CHECK(holds(text, "return [torch.randn(64, 8)]"));
  CHECK_FALSE(holds(text, "get_init_inputs"));
  CHECK_FALSE(holds(text, "cumsum"));
  CHECK(syntax.normalise(text)->has_model);
}

TEST_CASE("reductions: operands, arguments, sizes, constants, options and control flow are simplified") {
  StartedSyntax syntax;
  CHECK(holds(after(syntax, "operand", "a for self.block(a)"), "b = a\n"));
  CHECK(holds(after(syntax, "argument", "without keepdim=True"), "c.sum(dim=0)"));
  CHECK(holds(after(syntax, "size 64", "2 for 64"), "torch.randn(2, 8)"));
  CHECK(holds(after(syntax, "constant", "1.0 for 0.25"), "b = b * 1.0"));
  CHECK(holds(after(syntax, "option", "without option train"), "OPTIONS = {'backward': True}"));
  const auto unwrapped = after(syntax, "control", "line 23 unwrapped");
  CHECK(holds(unwrapped, "        b = b * 0.25\n        c ="));
  CHECK_FALSE(holds(unwrapped, "if n > 2"));
  CHECK(holds(after(syntax, "name", "plain names"), "forward(self, x, z)"));
}

TEST_CASE("reductions: many threads become two, or the option is removed") {
  StartedSyntax syntax;
  const std::string program = program_returning("x.sin()") + "\n\nOPTIONS = {'threads': 8}\n";
  const auto ids = offered(syntax, program, "option");
  REQUIRE(ids.size() == 2);
  CHECK_FALSE(holds(syntax.reduced(program, {ids[0]}, "[]")->program, "OPTIONS"));
  const auto fewer = syntax.reduced(program, {ids[1]}, "[]")->program;
  CHECK(holds(fewer, "OPTIONS = {'threads': 2}"));
  CHECK(offered(syntax, fewer, "option").size() == 1);
}

TEST_CASE("reductions: in-place writes are replaced by one plain write") {
  StartedSyntax syntax;
  struct Row {
    const char *statement, *plain;  // plain: the same where nothing is written
  };
  for (const Row& row : std::vector<Row>{
           {"x.mul_(y).relu_()", "x.add_(1)"},
           {"y += 2", "y.add_(1)"},
           {"x.add_(1)", "x.add_(1)"},
           {"torch.relu_(y)", "y.add_(1)"},
           {"F.elu_(y)", "y.add_(1)"},
           {"torch.nn.functional.silu(y, inplace=True)", "y.add_(1)"},
           {"torch.nn.functional.silu(y, inplace=False)", "torch.nn.functional.silu(y, inplace=False)"},
           {"torch.add(x, y, out=x)", "x.add_(1)"},
           {"z = torch.mul(x, y, out=y)", "z = y.add_(1)"},
           {"torch.max(x, 0, out=(y, z))", "y.add_(1)"},
           {"torch.ops.aten.add_.Tensor(x, y)", "x.add_(1)"},
           {"torch.Tensor.copy_(x, y)", "x.add_(1)"},
           {"x.copy_(y)", "x.add_(1)"},
           {"x.index_put_((y,), y, accumulate=True)", "x.add_(1)"},
           {"torch.index_put_(x, (y,), y)", "x.add_(1)"},
           {"x.masked_fill_(y > 0, 3)", "x.add_(1)"},
           {"x[:, 1] = y", "x.add_(1)"},
           {"x[y > 0] *= 2", "x.add_(1)"},
           {"x.view(-1)[1:].zero_()", "x.add_(1)"},
           {"x.T.fill_(1)", "x.add_(1)"},
           {"self.state.mul_(2)", "self.state.add_(1)"},
           {"self.state[0] = y", "self.state.add_(1)"},
           {"self.act(y)", "y.add_(1)"},
           {"self.plain(y)", "self.plain(y)"},
           {"self.plain(y).add_(y)", "self.plain(y).add_(y)"},
           {"torch.neg(x).add_(y)", "torch.neg(x).add_(y)"},
           {"x.sin().add_(1)", "x.sin().add_(1)"},
           {"y.requires_grad_(False)", "y.requires_grad_(False)"},
           {"z = x.__neg__()", "z = x.__neg__()"},
           {"z = x", "z = x"},
       }) {
    CAPTURE(row.statement);
    const std::string before =
        "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.act = torch.nn.ReLU(inplace=True)\n"
        "        self.plain = torch.nn.ReLU()\n        self.register_buffer('state', torch.ones(2))\n\n"
        "    def forward(self, x, y, z):\n        ";
    const std::string after =
        "\n        return F.relu(x), self.act, self.plain, self.state, y, z\n\n\n"
        "def get_inputs():\n    return [torch.ones(2), torch.ones(2), torch.ones(2)]\n";
    const auto around = [&](const std::string& statement) {
      return std::string(before).append(statement).append(after);
    };
    const std::string program = around(row.statement);
    const auto edits = syntax.reductions(program, "[]");
    REQUIRE(edits.has_value());
    const auto writes = ids_of(*edits, "write");
    REQUIRE(writes.empty() == (std::string(row.plain) == row.statement));
    // Of a chain of writes the outermost is taken.
    const auto reduced = syntax.reduced(program, writes.empty() ? writes : std::vector{writes.front()}, "[]");
    REQUIRE(reduced.has_value());
    CHECK(reduced->program == around(row.plain));
  }
}

TEST_CASE("reductions: a name read once by the next statement is inlined") {
  StartedSyntax syntax;
  const auto once = program_with("        y = x + 1\n        z = y.sin()\n        return z\n");
  const auto ids = offered(syntax, once, "inline");
  REQUIRE(ids.size() == 2);
  CHECK(holds(syntax.reduced(once, {ids[0]})->program, "        z = (x + 1).sin()\n        return z\n"));
  CHECK(holds(syntax.reduced(once, {ids[1]})->program, "        y = x + 1\n        return y.sin()\n"));
  CHECK(offered(syntax, program_with("        y = x + 1\n        return y * y\n"), "inline").empty());
}

TEST_CASE("reductions: outputs are removed one by one if none shows the fault alone") {
  StartedSyntax syntax;
  const std::string program = program_returning("x + 1, x, x + 2, x");
  const auto ids = offered(syntax, program, "element");
  REQUIRE(ids.size() == 4);
  CHECK(holds(syntax.reduced(program, {ids[0], ids[2]})->program, "return x, x\n"));
  CHECK(holds(syntax.reduced(program, {ids[3]})->program, "return x + 1, x, x + 2\n"));
  CHECK(offered(syntax, program_returning("(x,)"), "element").empty());
}

TEST_CASE("reductions: each argument of a chain of calls is tried") {
  StartedSyntax syntax;
  const std::string program = program_returning("x.sum(dim=0).cumsum(dim=0)");
  CHECK(ids_of(*syntax.reductions(program), "argument").size() == 2);
  for (const std::string less : {"x.sum().cumsum(dim=0)", "x.sum(dim=0).cumsum()"}) {
    CAPTURE(less);
    const auto edits = syntax.reductions(program)->edits;
    CHECK(std::any_of(edits.begin(), edits.end(), [&](const auto& edit) {
      return edit.family == "argument" && holds(syntax.reduced(program, {edit.id})->program, less);
    }));
  }
}

TEST_CASE("reductions: code outside forward is simplified like forward") {
  StartedSyntax syntax;
  const std::string head =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n";
  struct Row {
    const char *family, *described, *before, *after;  // after: "" where it is not offered
  };
  for (const Row& row : std::vector<Row>{
           {"operand", "torch.randn(1) for", "    return [torch.randn(1) * 1]", "    return [torch.randn(1)]"},
           {"operand", "torch.ones(2) for", "    return [torch.ones(2).half()]", "    return [torch.ones(2)]"},
           {"operand", "1 for", "    return [1 * torch.randn(n, 1)]", ""},
           {"constant", "1 for 1 * 1 ** 1", "    return [torch.randn(n, 1 * 1 ** 1)]",
            "    return [torch.randn(n, 1)]"},
           {"constant", "for 2 ** 31", "    return [torch.randint(2 ** 31, (2,))]", ""},
           {"constant", "for 1 - 2", "    return [torch.ones(2, 1).sum(1 - 2)]", ""},
           {"operand", "n for", "    return [torch.randn(n, 1)]", ""},
           {"operand", "torch.nn for", "    return [torch.nn.Buffer(torch.ones(2))]", ""},
           {"inline", "d inlined", "    d = torch.ones(2)\n    return [d]", "    return [(torch.ones(2))]"},
           {"control", "unwrapped", "    with torch.no_grad():\n        d = torch.ones(2)\n    return [d, d]",
            "    d = torch.ones(2)\n    return [d, d]"},
           {"control", "unwrapped", "    for d, e in zip([1], [2]):\n        f = d + e\n    return [f]",
            "    d, e = next(iter(zip([1], [2])))\n    f = d + e\n    return [f]"},
           {"control", "unwrapped", "    for d in range(2):\n        e = [d]\n    return e",
            "    d = 0\n    e = [d]\n    return e"},
           {"element", "without 'b': 2", "    return [torch.ones(*{'a': 1, 'b': 2, 'c': 3})]",
            "    return [torch.ones(*{'a': 1, 'c': 3})]"},
           {"element", "without 'a': 1", "    return [torch.ones(*{'a': 1, 'b': 2})]",
            "    return [torch.ones(*{'b': 2})]"},
           {"element", "without 'a': 1", "    return [torch.ones(*{'a': 1})]", ""},
           {"element", "without 5", "    for n in (4, 5):\n        d = n\n    return [d]",
            "    for n in (4):\n        d = n\n    return [d]"},
           {"element", "without 5", "    d = [4, 5]\n    return [d]", "    d = [4]\n    return [d]"},
           {"beside", "without line 10", "    torch.manual_seed(1)\n    return [torch.randn(2)]",
            "    return [torch.randn(2)]"},
           {"beside", "without line 11", "    d = torch.ones(2)\n    d[0] = 3\n    return [torch.ones(1)]",
            "    return [torch.ones(1)]"},
           {"beside", "without line 10", "    d = torch.ones(2)\n    d[0] = 3\n    return [d]", ""},
           {"beside", "without line 11", "    d = torch.rand(2)\n    d = d + 1\n    return [d]",
            "    d = torch.rand(2)\n    return [d]"},
       }) {
    CAPTURE(row.before);
    const std::string make = "def get_inputs():\n";
    const std::string program = head + make + row.before + "\n";
    const auto edits = syntax.reductions(program);
    REQUIRE(edits.has_value());
    std::string after;
    for (const auto& edit : edits->edits) {
      if (edit.family == row.family && holds(edit.description, row.described)) {
        after = syntax.reduced(program, {edit.id})->program;
        break;
      }
    }
    CHECK(after == (*row.after == '\0' ? "" : head + make + row.after + "\n"));
  }
}

TEST_CASE("reductions: constants of the module are inlined") {
  StartedSyntax syntax;
  const auto program = [](const std::string& constants, const std::string& returned, const std::string& input) {
    return "import torch\n" + constants +
           "\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " + returned +
           "\n\n\ndef get_inputs():\n    return [" + input + "]\n";
  };
  const auto inlined = [&](const std::string& text) {
    const auto ids = offered(syntax, text, "inline");
    return ids.empty() ? "" : syntax.reduced(text, {ids.front()})->program;
  };
  CHECK(inlined(program("SHARED = torch.arange(2) - 1\n", "x", "SHARED")) == program("", "x", "(torch.arange(2) - 1)"));
  CHECK(inlined(program("N = 2\n", "x * N", "torch.ones(N)")) == program("", "x * (2)", "torch.ones((2))"));
  CHECK(inlined(program("SHARED = torch.arange(2)\n", "x", "SHARED, SHARED")).empty());
  // A tensor that forward finds is none that it makes.
  CHECK(inlined(program("SHARED = torch.arange(2)\n", "x + SHARED", "torch.ones(2)")).empty());
}

TEST_CASE("reductions: removing statements outside forward keeps what runs at import, in constructors and in helpers") {
  StartedSyntax syntax;
  const std::string program =
      "import torch\n\ntorch.manual_seed(3)\n\n\ndef helper(x):\n    torch.manual_seed(2)\n    return x\n\n\n"
      "class Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
      "        self.w = torch.nn.Parameter(torch.ones(2))\n        self.w.data.zero_()\n\n"
      "    def forward(self, x):\n        x.sin_()\n        return helper(x) + self.w\n\n\n"
      "def get_inputs():\n    return [torch.ones(2)]\n\n\nOPTIONS = {'train': True}\n";
  const auto ids = offered(syntax, program, "beside");
  REQUIRE(ids.size() == 3);
  const auto reduced = syntax.reduced(program, ids);
  REQUIRE(reduced.has_value());
  for (const std::string gone : {"manual_seed", "zero_"}) CHECK_FALSE(holds(reduced->program, gone));
  for (const std::string kept : {"super()", "self.w =", "sin_", "OPTIONS"}) CHECK(holds(reduced->program, kept));
}

TEST_CASE("reductions: a decorator is removed with what only the decorator used") {
  StartedSyntax syntax;
  const std::string program =
      "import functools\nimport torch\n\n\n@functools.lru_cache()  # once\ndef unread(n):\n    return n\n\n\n"
      "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n\n"
      "class Model(torch.nn.Module):\n    @torch.no_grad()\n    @torch.compiler.disable\n"
      "    def forward(self, x):\n        return Twice.apply(x)\n\n\ndef get_inputs():\n    return [torch.ones(2)]\n";
  const auto ids = offered(syntax, program, "decorator");
  REQUIRE(ids.size() == 3);
  const auto reduced = syntax.reduced(program, {ids[0], ids[2]});
  REQUIRE(reduced.has_value());
  for (const std::string gone : {"functools", "unread", "disable"}) CHECK_FALSE(holds(reduced->program, gone));
  CHECK(holds(reduced->program, "    @torch.no_grad()\n    def forward"));
  CHECK(holds(reduced->program, "@staticmethod"));
}

TEST_CASE("reductions: inputs that are not a plain list become one") {
  StartedSyntax syntax;
  const std::string model =
      "import torch\n\n\ndef inputs():\n    a = torch.ones(2)\n    return (a, torch.zeros(3))\n\n\n"
      "class Model(torch.nn.Module):\n    def forward(self, x, y):\n        return y\n\n\n"
      "def get_inputs():\n    return list(inputs())\n";
  const auto inlined = syntax.reduced(model, {"inputs:inlined"});
  REQUIRE(inlined.has_value());
  CHECK(holds(inlined->program, "def get_inputs():\n    return [torch.zeros(3)]\n"));
  CHECK_FALSE(holds(inlined->program, "def inputs"));
  const auto elements = syntax.reduced(model, {"inputs:elements"});
  REQUIRE(elements.has_value());
  CHECK(holds(elements->program, "    given = list(inputs())\n    return [given[1]]\n"));
}

TEST_CASE("reductions: each reduction parses alone and with all others, and their number is right") {
  StartedSyntax syntax;
  const auto edits = syntax.reductions(kProgram, kValues);
  REQUIRE(edits.has_value());
  CHECK(edits->statements == 8);
  CHECK(edits->lines == 23);
  std::vector<std::string> all;
  for (const auto& edit : edits->edits) {
    CAPTURE(edit.id, edit.description);
    CHECK(std::count(all.begin(), all.end(), edit.id) == 0);
    all.push_back(edit.id);
    const auto reduced = syntax.reduced(kProgram, {edit.id}, kValues);
    REQUIRE(reduced.has_value());
    CHECK(syntax.normalise(reduced->program).has_value());
  }
  CHECK(syntax.reduced(kProgram, all, kValues).has_value());
  CHECK(ids_of(*edits, "begin").size() >= 2);
}

TEST_CASE("reductions: an unknown reduction is an error that names it") {
  StartedSyntax syntax;
  const auto reduced = syntax.reduced(kProgram, {"begin:99"}, kValues);
  REQUIRE_FALSE(reduced.has_value());
  CHECK(holds(reduced.error().message, "begin:99"));
}

TEST_CASE("reductions: unusable values from a worker are ignored") {
  StartedSyntax syntax;
  for (const std::string values : {R"([{"line": 3}])", R"({"a": 1})", "null", R"([{"line": "x", "name": "b"}])"}) {
    CAPTURE(values);
    const auto edits = syntax.reductions(kProgram, values);
    if (edits) CHECK(ids_of(*edits, "begin").empty());
  }
}

TEST_CASE("plain: the program is formatted uniformly and its options are kept") {
  StartedSyntax syntax;
  const auto plain = syntax.plain("import torch\nimport torch\n\"\"\"About.\"\"\"\n" + kProgram);
  REQUIRE(plain.has_value());
  CHECK_FALSE(holds(plain->program, "# a wave"));
  CHECK(plain->program.find("import torch\n") == plain->program.rfind("import torch\n"));
  CHECK(holds(plain->program, "\n\n\nclass Model"));
  CHECK(plain->options_text == R"({"backward":true,"train":true})");
  CHECK(syntax.plain(plain->program)->program == plain->program);
  INFO("a decorator stays with what it decorates");
  CHECK(holds(syntax.plain(kProgram + "\n\n@torch.no_grad()\ndef get_init_inputs():\n    return [1]\n")->program,
              "\n\n\n@torch.no_grad()\ndef get_init_inputs():\n"));
}
