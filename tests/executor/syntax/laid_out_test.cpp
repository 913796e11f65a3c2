// Scripts as people write them in reports: what is compiled becomes Model, with what it needs; what is not understood
// is refused with its line.
#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;

namespace {

const std::string kNet =
    "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = "
    "torch.nn.Parameter(torch.ones(4))\n    def forward(self, x):\n        return self.w * x\n";
const std::string kFn = "import torch\ndef fn(a, b, *, k=1):\n    return a * b + k\n";

struct Row {
  std::string name, program;
  std::vector<std::string> present;
  std::string absent;
};

const std::vector<Row> kRows{
    {"a function, its call by place and by name",
     kFn + "x = torch.ones(2)\nprint(torch.compile(fn)(x, b=x.t(), k=3))\n",
     {"def forward(self, x, x2):\n        return fn(x, b=x2, k=3)\n", "return [x, x.t()]"},
     "print"},
    {"a decorated function in main()",
     "import torch\n@torch.compile(dynamic=True)\ndef f(x):\n    return x + 1\ndef main(n=3):\n    x = "
     "torch.ones(n)\n"
     "    f(x)\nif __name__ == '__main__':\n    main()\n",
     {"def f(x):", "    n = 3\n    x = torch.ones(n)\n    return [x]", "'dynamic': True"},
     "torch.compile"},
    {"a lambda",
     "import torch\ng = torch.compile(lambda v: v.sin())\ng(torch.ones(2))\n",
     {"g = lambda v: v.sin()", "self.g(x)", "return [torch.ones(2)]"},
     "torch.compile"},
    {"weights filled after construction",
     kNet + "def init(m):\n    for p in m.parameters():\n        p.data.fill_(2)\nnet = Net().eval()\ninit(net)\nwith "
            "torch.no_grad():\n    net.w.mul_(3)\n    torch.compile(net)(torch.ones(4))\n",
     {"        net = Net().eval()\n        init(net)\n        with torch.no_grad():\n            net.w.mul_(3)\n"},
     "OPTIONS"},
    {"a dtype of its own",
     kNet + "net = torch.compile(Net().to(torch.bfloat16))\nnet(torch.ones(4))\n",
     {"Net().to(torch.bfloat16)", "'train': True"},
     ""},
    {"autocast and its own backward",
     kNet +
         "net = torch.compile(Net())\nwith torch.autocast('cpu', dtype=torch.bfloat16):\n    y = net(torch.ones(4))\n"
         "y.sum().backward()\n",
     {"'autocast': 'bfloat16'", "'backward': True"},
     "y.sum"},
    {"a second call with other inputs",
     "import torch\nf = torch.compile(torch.sin)\nf(torch.ones(2))\nf(torch.ones(3))\n",
     {"def get_inputs(scale=1):\n    if scale == 2:\n        return [torch.ones(3)]\n    return [torch.ones(2)]\n",
      "'calls': 2"},
     ""},
    {"a loop over inputs",
     kFn + "c = torch.compile(fn)\nfor n, d in [(2, torch.half), (3, torch.float)]:\n    c(torch.ones(n, dtype=d), "
           "1)\n",
     {"        n = 3\n        d = torch.float\n        return [torch.ones(n, dtype=d)]\n", "'calls': 2"},
     ""},
    {"a training loop, compiled or not by a flag",
     kNet +
         "def train(compiled):\n    model = Net()\n    step = torch.compile(model) if compiled else model\n    opt = "
         "torch.optim.SGD(model.parameters())\n    for i in range(2):\n        loss = step(torch.ones(4)).sum()\n"
         "        loss.backward()\n        opt.step()\n    return loss\na, b = train(False), train(True)\n",
     {"self.model(x)", "'backward': True", "'calls': 2"},
     "SGD"},
    {"a helper that takes the function",
     kFn + "def check(f, args):\n    want = f(*args)\n    got = torch.compile(f, fullgraph=True)(*args)\n    assert "
           "want "
           "== got\ncheck(fn, (torch.ones(2), 3))\n",
     {"return fn(*args)", "'fullgraph': True"},
     "assert"},
    {"a method, compiled in the constructor",
     "import torch\nclass T:\n    def __init__(self):\n        self.w = torch.nn.Parameter(torch.ones(2))\n        "
     "self.loss = torch.compile(self._loss)\n    def _loss(self, x, *, r='mean'):\n        return x * self.w\ndef "
     "test_it():\n    t = T()\n    t.loss(torch.ones(2), r='sum')\n",
     {"self.t.loss(x, r='sum')", "self.loss = self._loss", "ParameterList"},
     "torch.compile"},
    {"a test case",
     "import torch, unittest\nclass C(unittest.TestCase):\n    def setUp(self):\n        self.x = torch.ones(2)\n    "
     "def "
     "test_a(self):\n        def f(v):\n            return v.exp()\n        self.assertTrue(torch.equal(f(self.x), "
     "torch.compile(f)(self.x)))\nif __name__ == '__main__':\n    unittest.main()\n",
     {"x = torch.ones(2)\n    return [x]", "self.f(x)"},
     "unittest"},
    {"what torch is told stays, what the compiler is told goes into OPTIONS",
     "import torch\nimport torch._dynamo.config as dc\ndc.recompile_limit = 2\ntorch.set_float32_matmul_precision("
     "'high')\ntorch.compile(torch.sin, mode='max-autotune', options=None)(torch.ones(2))\n",
     {"torch.set_float32_matmul_precision('high')", "'dynamo_config': {'recompile_limit': 2}",
      "'mode': 'inductor_max_autotune'"},
     "dc.recompile"},
    {"a module that functions read",
     "import torch\nlin = torch.nn.Linear(2, 2)\nwith torch.no_grad():\n    lin.weight.fill_(1)\n@torch.compile\ndef "
     "f(x):\n    return lin(x)\nf(torch.ones(2))\n",
     {"lin = torch.nn.Linear(2, 2)\nwith torch.no_grad():\n    lin.weight.fill_(1)\n", "self.lin = lin"},
     ""},
    {"PyTorch's minifier",
     "import torch\nimport torch._inductor.config\ntorch._inductor.config.freezing = True\nclass Repro(torch.nn."
     "Module):\n    def forward(self, a):\n        return (torch.ops.aten.sin.default(a),)\ndef load_args(reader):\n"
     "    buf0 = reader.storage(None, 16)\n    reader.tensor(buf0, (2, 2), is_leaf=True)\nload_args._version = "
     "0\nmod = "
     "Repro()\nif __name__ == '__main__':\n    from torch._dynamo.repro.after_aot import run_repro\n    "
     "run_repro(mod, "
     "load_args, tracing_mode='symbolic')\n",
     {"class Model(torch.nn.Module)", "load_args(reader)\n    return reader.inputs", "'freezing': True",
      "'dynamic': True"},
     "run_repro"},
    {"an issue's text",
     "### Bug\n\nWrong result:\n```python\nimport torch\n@torch.compile\ndef f(x):\n    return "
     "x.sin()\nf(torch.ones(2)"
     ")\n```\n### Versions\n```\ntorch 2.13\n```\n",
     {"def f(x):", "return [torch.ones(2)]"},
     "Versions"},
    {"what gives up without a GPU",
     "import torch\ndef main():\n    if not torch.cuda.is_available():\n        return\n    f = "
     "torch.compile(torch.sin)\n"
     "    f(torch.ones(2, device='cuda'))\nmain()\n",
     {"torch.sin(x)", "return [torch.ones(2)]"},
     "cuda"},
    {"a session",
     "Try this:\n>>> import torch\n>>> f = torch.compile(torch.sin)\n>>> f(torch.ones(2))\ntensor([0.8, 0.8])\n",
     {"torch.sin(x)"},
     "tensor("},
    {"a notebook",
     "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"%load_ext x\\n\", \"import torch\\n\"]}, {\"cell_type\": "
     "\"code\", \"source\": \"torch.compile(torch.sin)(torch.ones(2))\"}]}",
     {"torch.sin(x)"},
     "load_ext"},
};

}  // namespace

TEST_CASE("a script becomes a program of the same meaning") {
  StartedSyntax syntax;
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const auto result = syntax.normalise(row.program);
    REQUIRE(result.has_value());
    INFO(result->text);
    CHECK(result->problem.empty());
    for (const std::string& part : row.present) {
      CAPTURE(part);
      CHECK(holds(result->text, part));
    }
    if (!row.absent.empty()) CHECK_FALSE(holds(result->text, row.absent));
    CHECK(!result->fixes.empty());
    const auto again = syntax.normalise(result->text);
    REQUIRE(again.has_value());
    CHECK(again->text == result->text);
  }
}

TEST_CASE("what is not understood is refused with its line in the user's terms") {
  struct Refused {
    std::string program, said;
  };
  const std::vector<Refused> refused{
      {"import torch\nprint(torch.ones(2))\n", "no model: define class Model or decorate one function"},
      {"import torch\n@torch.compile\ndef f(x):\n    return x\n", "line 2: the compiled function is not called"},
      {"import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
       "no inputs: define get"},
      {"import torch\nwith torch.nn.attention.sdpa_kernel(1):\n    torch.compile(torch.sin)(torch.ones(2))\n",
       "line 2: `with torch.nn.attention.sdpa_kernel(1)` around the compiled call"},
      {"import torch, os\nos.environ['TORCHINDUCTOR_ODD'] = '1'\ntorch.compile(torch.sin)(torch.ones(2))\n",
       "line 2: the environment variable TORCHINDUCTOR_ODD"},
      {"import torch\ntorch._inductor.config.freezing = bool(torch.rand(1))\ntorch.compile(torch.sin)(torch.ones(2))\n",
       "line 2: `torch._inductor.config.freezing = bool(torch.rand(1))` sets a value that is not constant"},
      {"import torch\ntorch.compile(torch.sin, odd=1)(torch.ones(2))\n", "line 2: argument odd=1"},
  };
  StartedSyntax syntax;
  for (const Refused& row : refused) {
    CAPTURE(row.program);
    const auto result = syntax.normalise(row.program);
    REQUIRE(result.has_value());
    CAPTURE(result->problem);
    CHECK(holds(result->problem, row.said));
  }
  CHECK(holds(syntax.normalise("Nothing to see here.\n").error().message, "contains no Python program"));
}
