// What goes from a program without a trial, because it can say nothing about a fault.
#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

TEST_CASE("tidying without trials: a branch that does nothing is removed") {
  StartedSyntax syntax;
  const auto tidied = [&](const std::string& branches) {
    return syntax.plain(program_with(branches + "        return x\n"))->program;
  };
  CHECK(holds(tidied("        if x.sum() > 0:\n            pass\n        else:\n            x = -x\n"),
              "        if not x.sum() > 0:\n            x = -x\n        return x\n"));
  INFO("what follows an elif stays as it is");
  const std::string chain =
      "        if x.sum() > 0:\n            pass\n        elif x.max() > 0:\n            x = -x\n";
  CHECK(holds(tidied(chain), chain));
}

TEST_CASE(
    "tidying without trials: parameters that always get the same constant are removed with what they make redundant") {
  StartedSyntax syntax;
  const auto program = [](const std::string& constructor, const std::string& rest) {
    return "import torch\n\n\nclass Model(torch.nn.Module):\n\n" + constructor +
           "    def forward(self, x):\n        return x * 1\n\n\n" + rest;
  };
  const std::string super = "        super().__init__()\n";
  const auto constructor = [&](const std::string& parameters, const std::string& body) {
    return "    def __init__(self" + parameters + "):\n" + super + "        self.l = torch.nn.Linear(" + body +
           ")\n\n" + "    def extra(self):\n        return self.l\n\n";
  };
  const std::string used = constructor("", "2, 3");  // `extra` is read below: the layer stays
  const auto make = [](const std::string& parameters, const std::string& returned) {
    return "def get_inputs(" + parameters + "):\n    return [" + returned + "]\n";
  };
  const std::string plain = make("", "torch.ones(2)");
  const auto initial = [](const std::string& returned) { return "\n\ndef get_init_inputs():\n    return " + returned; };
  const std::string reader = "\n\nOPTIONS = {'extra': 'extra'}\n";
  const auto given = [&](const std::string& returned) { return plain + initial(returned) + reader; };
  struct Row {
    std::string before, after;
  };
  for (const Row& row : std::vector<Row>{
           // Of get_inputs: a scale is only given from the second call on.
           {program("", make("scale=1", "torch.randn(1 + scale, 1 * scale ** 1)")),
            program("", make("", "torch.randn(1 + 1, 1 * 1 ** 1)"))},
           {program("", make("scale=1", "torch.randn(scale)") + "\n\nOPTIONS = {'calls': 2}\n"), ""},
           {program("", make("scale=1", "torch.randn(scale)") + "\n\nOPTIONS = {'mode': 'inductor_reduce_overhead'}\n"),
            ""},
           {program("", make("scale=1", "torch.randn(2)") + "\n\nOPTIONS = {'calls': 2}\n"),
            program("", make("", "torch.randn(2)") + "\n\nOPTIONS = {'calls': 2}\n")},
           {program("", make("n=2, scale=1", "torch.randn(n - -1, scale)") + "\n\nOPTIONS = {'calls': 2}\n"),
            program("", make("scale=1", "torch.randn(2 - -1, scale)") + "\n\nOPTIONS = {'calls': 2}\n")},
           {program("", "def get_inputs(n=1):\n    n += 1\n    return [torch.ones(n)]\n"), ""},
           {program("", "def get_inputs(n=1):\n    return [torch.ones(locals()['n'])]\n"), ""},
           {program("", make("", "torch.ones(2) * 1, torch.ones(2 ** 31), torch.ones(0) + 0")), ""},
           // Of the constructor.
           {program("", plain + initial("[]\n")), program("", plain)},
           {program("", plain + initial("()\n")), program("", plain)},
           {program("", plain + initial("None\n")), ""},
           {program("    def __init__(self, width=3):\n" + super + "\n", plain), program("", plain)},
           {program(constructor(", width, n=-3", "width, n * -1"), given("[2]\n")),
            program(constructor("", "2, -3 * -1"), plain + reader)},
           {program(constructor(", width, n, k=4", "k, n"), given("[2, torch.ones(1)]\n")),
            program(constructor(", n", "4, n"), given("[torch.ones(1)]\n"))},
           {program(constructor(", *given", "*given"), given("[2, 3]\n")), ""},
           {program(constructor(", width", "width, 3"), given("{'width': 2}\n")), ""},
           {program(constructor(", n=2", "n, n if n < 2 else Model(n - 1).l.in_features"), plain + reader), ""},
           {program(constructor(", n=2", "n, 3"), make("", "torch.ones(2), Model(3)") + reader), ""},
           {program(used, plain + reader), ""},
       }) {
    CAPTURE(row.before);
    const auto tidied = syntax.plain(row.before);
    REQUIRE(tidied.has_value());
    CHECK(tidied->program == (row.after.empty() ? row.before : row.after));
  }
}

TEST_CASE("tidying without trials: a constructor that only passes arguments on is removed") {
  StartedSyntax syntax;
  const auto program = [](const std::string& parameters, const std::string& body) {
    return "import torch\n\n\nclass Model(torch.nn.Module):\n\n    def __init__(self" + parameters + "):\n        " +
           body +
           "\n\n    def forward(self, x):\n        return x\n\n\ndef get_inputs():\n    return [torch.ones(2)]\n";
  };
  for (const std::string body : {"super().__init__()", "super(Model, self).__init__()",
                                 "torch.nn.Module.__init__(self)", "super().__init__(); self.unread = 3"}) {
    CAPTURE(body);
    CHECK_FALSE(holds(syntax.plain(program("", body))->program, "__init__"));
  }
  CHECK(holds(syntax.plain(program("", "super().__init__(2, 2)"))->program, "super().__init__(2, 2)"));
  CHECK(holds(syntax.plain(program("", "\"\"\"Of two.\"\"\"\n        pass"))->program, "(self):\n        pass\n"));
  CHECK(holds(syntax.plain(program(", *, bias", "super().__init__()"))->program, "def __init__(self, *, bias)"));
}
