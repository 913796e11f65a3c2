// The repro script: the program, then only the lines its options need. A maintainer reads it before running it.
#include <fmt/format.h>

#include "store/base/text.h"
#include "store/report/draft.h"
#include "store/report/draws_repro.h"
#include "store/report/repro_parts.h"

namespace parityd::store {
namespace {

using oracle::Kind;

std::string imports(const ReproPlan& plan, const std::string& program) {
  std::string text = plan.in_child ? "import subprocess\nimport sys\n" : "import sys\n";
  if (plan.random) text = "import random\n" + text;
  text += program.find("import torch\n") == std::string::npos ? "\nimport torch\n" : "\n";
  text += "import torch._dynamo.config\nimport torch._inductor.config\n";
  if (!plan.outcomes) text += "from torch._dynamo.utils import same\n";
  text += "from torch.utils._pytree import tree_leaves, tree_map_only\n";
  return text;
}

constexpr const char* kCompare = R"(def repro_differs(name, eager, compiled, exact):
    if not isinstance(eager, (torch.Tensor, float, complex)):
        print(f"{name}: eager {eager!r}, compiled {compiled!r}")
        return repr(eager) != repr(compiled)
    differs = False
    try:
        torch.testing.assert_close(compiled, eager, equal_nan=True)
    except (AssertionError, TypeError) as error:
        differs = True
        print(error)
    if not isinstance(eager, torch.Tensor) or not isinstance(compiled, torch.Tensor):
        print(f"{name}: eager {eager!r}, compiled {compiled!r}")
        return differs
    print(f"{name}: {'differs' if differs else 'close'}")
    print(f"  eager    {eager.dtype} {tuple(eager.shape)} {eager.flatten()[:6].tolist()}")
    print(f"  compiled {compiled.dtype} {tuple(compiled.shape)} {compiled.flatten()[:6].tolist()}")
    if isinstance(exact, torch.Tensor):
        print(f"  fp64     {exact.dtype} {tuple(exact.shape)} {exact.flatten()[:6].tolist()}")
    return differs


)";

std::string compare_main(const ReproPlan& plan) {
  std::string text = plan.layout ? std::string(kCompare) + repro_layout_function() : kCompare;
  text += "def repro_main():\n    " + repro_settings(plan) +
          "        eager = repro_run(compiled=False)\n"
          "        try:\n"
          "            exact = repro_run(compiled=False, double=True)\n"
          "        except Exception as error:  # it mixes dtypes by itself\n"
          "            print(f\"no run in fp64: {error}\")\n"
          "            exact = {}\n"
          "        compiled = repro_run(compiled=True)\n"
          "    shown = eager.keys() != compiled.keys()\n"
          "    for name in eager:\n"
          "        shown |= repro_differs(name, eager[name], compiled.get(name), exact.get(name))\n";
  if (plan.layout) {
    text +=
        "    before, after = repro_layout(eager), repro_layout(compiled)\n"
        "    for name in before:\n"
        "        if before[name] != after.get(name):\n"
        "            shown = True\n"
        "            print(f\"{name}: (stride, requires_grad, first leaf sharing its storage)\")\n"
        "            print(f\"  eager {before[name]}, compiled {after.get(name)}\")\n";
  }
  text +=
      "    reference = list(exact.values()) if exact.keys() == eager.keys() else None\n"
      "    try:\n"
      "        verdict = same(list(eager.values()), list(compiled.values()), reference, equal_nan=True)\n"
      "    except Exception as error:\n"
      "        verdict = f\"cannot judge: {error}\"\n"
      "    print(\"torch._dynamo.utils.same:\", verdict)\n"
      "    print(\"shown\" if shown else \"not shown\")\n"
      "    return 0 if shown else 1\n";
  return text;
}

constexpr const char* kChain = R"(def repro_classes(error):
    while error is not None:
        yield type(error).__name__
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__


)";

std::string behaviour_main(const ReproPlan& plan) {
  return fmt::format(
      "{}def repro_main():\n    {}"
      "        try:\n"
      "            repro_run(compiled=False)\n"
      "        except Exception as error:\n"
      "            print(f\"cannot tell: eager raises as well: {{error}}\")\n"
      "            return 2\n"
      "        try:\n"
      "            repro_run(compiled=True)\n"
      "        except Exception as error:\n"
      "            print(f\"eager runs, compiled raises {{type(error).__name__}}: {{error}}\")\n"
      "            expected = set({}) & set(repro_classes(error))\n"
      "            print(\"shown\" if expected else \"cannot tell: another exception than the one reported\")\n"
      "            return 0 if expected else 2\n"
      "    print(\"not shown: both run\")\n"
      "    return 1\n",
      kChain, repro_settings(plan), plan.expected_error);
}

std::string missing_check_main(const ReproPlan& plan) {
  return fmt::format(
      "def repro_main():\n    {}"
      "        try:\n"
      "            repro_run(compiled=False)\n"
      "            print(\"not shown: eager accepts it too\")\n"
      "            return 1\n"
      "        except Exception as error:\n"
      "            print(f\"eager raises {{type(error).__name__}}: {{error}}\")\n"
      "        try:\n"
      "            outputs = repro_run(compiled=True)\n"
      "        except Exception as error:\n"
      "            print(f\"compiled raises {{type(error).__name__}}: {{error}}\")\n"
      "            print(\"not shown: compiled raises as well\")\n"
      "            return 1\n"
      "    print(f\"compiled returns {{outputs}}\")\n"
      "    print(\"shown: compiled accepts it\")\n"
      "    return 0\n",
      repro_settings(plan));
}

std::string child_main(const ReproPlan& plan, Kind kind) {
  const bool hang = kind == Kind::hang;
  return fmt::format(
      "def repro_main():\n"
      "    if \"--compiled\" in sys.argv:  # the process that is expected to {1}\n"
      "        {0}            repro_run(compiled=True)\n"
      "        return 0\n"
      "    try:\n"
      "        {0}            repro_run(compiled=False)\n"
      "        print(\"eager runs\")\n"
      "    except Exception as error:\n"
      "        print(f\"eager raises {{type(error).__name__}}: {{error}}\")\n"
      "    try:\n"
      "        command = [sys.executable, __file__, BACKEND, \"--compiled\"]\n"
      "        status = subprocess.run(command, timeout={2}).returncode\n"
      "    except subprocess.TimeoutExpired:\n"
      "        print(\"{3}: compiled did not end within {2} s\")\n"
      "        return {4}\n"
      "    if status < 0:\n"
      "        print(f\"{5}: compiled died of signal {{-status}}\")\n"
      "        return {6}\n"
      "    print(\"not shown: compiled runs\" if status == 0 else \"cannot tell: compiled raises\")\n"
      "    return 1 if status == 0 else 2\n",
      repro_settings(plan), hang ? "hang" : "die", kLimitSeconds, hang ? "shown" : "cannot tell", hang ? 0 : 2,
      hang ? "cannot tell" : "shown", hang ? 2 : 0);
}

std::string main_function(const ReproPlan& plan, Kind kind) {
  if (plan.in_child) return child_main(plan, kind);
  if (kind == Kind::behaviour) return behaviour_main(plan);
  return kind == Kind::missing_check ? missing_check_main(plan) : compare_main(plan);
}

constexpr const char* kDrawnMain = R"(

def repro_main():
    shown = repro_shown()
    print("shown" if shown else "not shown")
    return 0 if shown else 1
)";

}  // namespace

std::string render_repro(const DraftFacts& facts) {
  const ReproPlan plan = repro_plan(facts);
  const std::string program = repro_program(facts);
  const auto drawn = drawn_number(facts);
  const std::string backend =
      "sys.argv[1] if len(sys.argv) > 1 else \"inductor\"  # also: eager, aot_eager, aot_eager_decomp_partition";
  const std::string device = plan.cuda ? "\nif not torch.cuda.is_available():\n    print(\"cannot tell: no CUDA "
                                         "device\")\n    sys.exit(2)\n"
                                       : "";
  std::string harness = drawn ? "import sys\n\nimport torch\n" + device + "\n" +
                                    draws_functions(plan, program, *drawn) + "\n\n" + draws_verdict(*drawn) + kDrawnMain
                              : imports(plan, program) + "\n" + repro_header(plan, backend) + device + "\n\n" +
                                    repro_helpers(plan, program) + "\n\n" + repro_run_function(plan) + "\n\n" +
                                    main_function(plan, facts.finding.kind);
  harness += "\n\nif __name__ == \"__main__\":\n    sys.exit(repro_main())\n";
  harness = without_clashes(std::move(harness), program);
  return fmt::format(
      "# Needs torch only. Seen with torch {} on {}. Exit code: 0 shown, 1 not shown, 2 cannot tell.\n"
      "{}\n\n\n"
      "# ---- The program ends here; what follows runs it eager and compiled.\n"
      "{}",
      clean_line(facts.finding.torch), plan.cuda ? "cuda" : "cpu", program, harness);
}

}  // namespace parityd::store
