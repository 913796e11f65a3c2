// Programs in the manner of scripts, as the corpora of FUEL, WhiteFox and KernelBench hold them: what the contract's
// functions are made of.
#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;

namespace {

const std::string kSum = "class Model(torch.nn.Module):\n    def forward(self, a, b=None):\n        return a.sum()\n";
const std::string kScaled =
    "class Model(nn.Module):\n    def __init__(self, width, bias=True):\n        super().__init__()\n        "
    "self.inner = "
    "nn.Linear(width, 4, bias=bias)\n    def forward(self, x1):\n        return self.inner(x1)\n";

struct Row {
  std::string name, program, present, absent;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"FUEL: model, then inputs as a list", kSum + "model = Model().eval()\nx = torch.randn(2, 3)\ninputs = [x]\n",
       "def get_inputs():\n    x = torch.randn(2, 3)\n    inputs = [x]\n    return [*inputs]\n", "model"},
      {"FUEL: a tensor under a name of its own", kSum + "m = Model()\nints = torch.arange(4, dtype=torch.int8)\n",
       "    ints = torch.arange(4, dtype=torch.int8)\n    return [ints]\n", "m = "},
      {"FUEL: input_data and a call", kSum + "model = Model()\ninput_data = torch.ones(3)\nout = model(input_data)\n",
       "    input_data = torch.ones(3)\n    return [input_data]\n", "out"},
      {"WhiteFox: instance, inputs by the parameters' names, output",
       kScaled + "# Initializing\nm = Model(8)\n\n# Inputs\nx1 = torch.randn(2, 8)\n__output__ = m(x1)\n",
       "def get_init_inputs():\n    return [8]\n", "__output__"},
      {"WhiteFox: inputs under other names, by order",
       "class Model(torch.nn.Module):\n    def forward(self, q, scale, k):\n        return q @ k * scale\nA = "
       "torch.ones(2, "
       "2)\nB = torch.ones(2, 2)\nscale = 1 / A.size(-1)\n",
       "    return [A, scale, B]\n", ""},
      {"WhiteFox: no instance, what it needs stands beside it", kScaled + "width = 6\nx1 = torch.randn(1, width)\n",
       "def get_init_inputs():\n    width = 6\n    return [width]\n", ""},
      {"WhiteFox: nothing goes in",
       "class Model(torch.nn.Module):\n    def forward(self):\n        return torch.ones(2)\n",
       "def get_inputs():\n    return []\n", ""},
      {"WhiteFox: any number of inputs",
       "class Model(torch.nn.Module):\n    def forward(self, *xs):\n        return torch.cat(xs)\nx1 = "
       "torch.ones(1)\nx2 = "
       "torch.ones(2)\n",
       "    return [x1, x2]\n", ""},
      {"KernelBench: both functions, constants around them",
       "width = 16\nbatch = 3\n" + kScaled +
           "def get_inputs():\n    return [torch.rand(batch, width)]\ndef get_init_inputs():\n    return [width]\n",
       "def get_init_inputs():\n    return [width]\n", ""},
      {"KernelBench: an instance instead of get_init_inputs",
       kScaled + "model = Model(bias=False, width=5)\ndef get_inputs():\n    return [torch.rand(3, 5)]\n",
       "def get_init_inputs():\n    return [5, False]\n", "model ="},
      {"arguments by name", kSum + "m = Model()\nx = torch.ones(1)\ny = torch.zeros(1)\nprint(m(b=y, a=x))\n",
       "    return [x, y]\n", "print"},
      {"inputs in a dict", kSum + "m = Model()\ninputs = {'b': torch.ones(1), 'a': torch.zeros(2)}\nm(**inputs)\n",
       "    return [inputs['a'], inputs['b']]\n", ""},
      {"inputs made in several steps, over several lines",
       kSum + "x = torch.zeros(\n    4,\n)\nx[0] = 2\nx.requires_grad_()\ninputs = []\nfor _ in range(2):\n    "
              "inputs.append(x)"
              "\nargs = [x]\nModel()(*inputs)\n",
       "    x = torch.zeros(4)\n    x[0] = 2\n    x.requires_grad_()\n    inputs = []\n    for _ in range(2):\n        "
       "inputs.append(x)\n    return [*inputs]\n",
       "args"},
      {"a constant that the model reads stays where it is",
       "SIZE = 3\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x[:SIZE]\nx = "
       "torch.ones(SIZE)\n",
       "SIZE = 3\nclass", ""},
      {"how the script compiles and trains it",
       kSum + "model = Model().train()\nfast = torch.compile(model, dynamic=True, mode='max-autotune')\nx = "
              "torch.ones(2)\nprint(fast(x))\n",
       "OPTIONS = {'train': True, 'dynamic': True, 'mode': 'inductor_max_autotune', 'grad': True}\n", "compile"},
      {"what is made and called without gradients",
       kSum + "m = Model()\nwith torch.no_grad():\n    x = torch.ones(2)\n    out = m(x)\n",
       "    x = torch.ones(2)\n    return [x]\n", "out"},
      {"inputs changed in place by functions",
       kSum + "x = torch.ones(2)\ntorch.neg_(x)\ntorch.add(x, 1, out=x)\nModel().half()(x)\n",
       "    torch.neg_(x)\n    torch.add(x, 1, out=x)\n    return [x]\n", ""},
      {"the instance that is called counts, not the first",
       kScaled + "small = Model(2)\nlarge = Model(8)\nx = torch.ones(1, 8)\nlarge(x)\n", "    return [8]\n", "small"},
      {"the mode that the script leaves its model in",
       kSum + "m = Model().train()\nm.eval()\nx = torch.ones(2)\nm(x)\nm.train(mode=True)\n", "    return [x]\n",
       "OPTIONS"},
      {"a parameter left at its default before one that is there",
       "class Model(torch.nn.Module):\n    def forward(self, a, b=0.5, c=None):\n        return a\na = "
       "torch.ones(1)\nc = "
       "torch.ones(2)\n",
       "    return [a, 0.5, c]\n", ""},
      {"another name for the model, under the main guard",
       "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x\nif __name__ == '__main__':\n    net "
       "= "
       "Net()\n    data = torch.ones(2)\n    with torch.no_grad():\n        y = net(data)\n",
       "    data = torch.ones(2)\n    return [data]\n", "Net"},
  };
  return table;
}

}  // namespace

TEST_CASE("programs of other fuzzers are converted, and converting again changes nothing") {
  StartedSyntax syntax;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    const auto result = syntax.normalise(row.program);
    REQUIRE(result.has_value());
    INFO(result->text);
    CHECK(holds(result->text, row.present));
    if (!row.absent.empty()) CHECK_FALSE(holds(result->text, row.absent));
    CHECK(result->has_model);
    CHECK(result->has_inputs);
    const auto again = syntax.normalise(result->text);
    REQUIRE(again.has_value());
    CHECK(again->text == result->text);
    CHECK(again->identity == result->identity);
  }
}

TEST_CASE("inputs that are not certain are not invented") {
  StartedSyntax syntax;
  const std::vector<std::string> programs{
      kSum, kSum + "x = 3\n", kSum + "m = Model()\nx = m.state_dict()\n",
      "class Model(torch.nn.Module):\n    def forward(self, a, b):\n        return a\nx = torch.ones(2)\n",
      kSum + "m = torch.jit.script(Model())\nx = torch.ones(2)\nout = m(x)\n"};
  for (const std::string& program : programs) {
    CAPTURE(program);
    const auto result = syntax.normalise(program);
    REQUIRE(result.has_value());
    INFO(result->text);
    CHECK_FALSE(result->has_inputs);
  }
}
