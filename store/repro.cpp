// The repro script: the program, then only the lines its options need. A maintainer reads it before running it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "store/draft.h"
#include "store/python.h"
#include "store/text.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr int kLimitSeconds = 300;  // for a compiled run in a process of its own

/// What the harness has to do, read off the finding and its options.
struct Plan {
  nlohmann::json options = nlohmann::json::object();
  std::string mode = "inductor";
  int calls = 1;
  std::uint64_t seed = 0;
  bool cuda = false;
  bool backward = false;
  bool grad = false;
  bool train = false;
  bool scale = false;  // get_inputs takes one
  bool init_inputs = false;
  bool outcomes = false;  // what counts is who raises, dies or hangs; not numbers
  bool in_child = false;
  bool changes_state = false;  // compare what inputs, buffers and parameters hold afterwards
  bool layout = false;         // compare what shape, dtype and values do not show
  std::string expected_error;  // behaviour: class names, as a Python tuple
};

bool flag(const nlohmann::json& options, const char* key) {
  const auto found = options.find(key);
  return found != options.end() && found->is_boolean() && found->get<bool>();
}

bool reported(const DraftFacts& facts, std::string_view prefix) {
  for (const EvidenceRow& round : facts.rounds) {
    for (const std::string& leaf : round.verdict.leaves) {
      if (leaf.starts_with(prefix)) return true;
    }
  }
  return false;
}

std::string expected_error(const DraftFacts& facts) {
  for (const EvidenceRow& round : facts.rounds) {
    const auto* outcome = round.evidence.outcome(round.evidence.compiled);
    if (outcome != nullptr && outcome->error) {
      return fmt::format("({}, {})", python_literal(clean_line(outcome->error->outer_class)),
                         python_literal(clean_line(outcome->error->inner_class)));
    }
  }
  return "()";
}

Plan plan_of(const DraftFacts& facts) {
  Plan plan;
  const auto options = nlohmann::json::parse(facts.options_json, nullptr, false);
  if (options.is_object()) plan.options = options;
  if (const auto mode = plan.options.find("mode"); mode != plan.options.end() && mode->is_string()) {
    plan.mode = mode->get<std::string>();
  }
  plan.calls = plan.mode == "inductor_reduce_overhead" ? 3 : 1;  // the third call is the first that replays
  if (const auto calls = plan.options.find("calls"); calls != plan.options.end() && calls->is_number_integer()) {
    plan.calls = std::max(plan.calls, calls->get<int>());
  }
  const Kind kind = facts.finding.kind;
  plan.seed = facts.seed;
  plan.cuda = facts.finding.device == "cuda";
  plan.backward = flag(plan.options, "backward");
  plan.grad = plan.backward || flag(plan.options, "grad");
  plan.train = flag(plan.options, "train");
  plan.scale =
      plan.calls > 1 && std::regex_search(facts.finding.reduced, std::regex(R"(def\s+get_inputs\([^)]*scale)"));
  plan.init_inputs = facts.finding.reduced.find("def get_init_inputs") != std::string::npos;
  plan.in_child = kind == Kind::crash || kind == Kind::hang;
  plan.outcomes = plan.in_child || kind == Kind::behaviour || kind == Kind::missing_check;
  plan.changes_state = kind == Kind::mutation || reported(facts, "input_after") || reported(facts, "buffer.") ||
                       reported(facts, "parameter.");
  plan.layout = kind == Kind::metadata;
  if (kind == Kind::behaviour) plan.expected_error = expected_error(facts);
  return plan;
}

std::string settings(const nlohmann::json& options, const char* key, nlohmann::json extra) {
  if (const auto found = options.find(key); found != options.end() && found->is_object()) {
    for (const auto& [name, value] : found->items()) extra[name] = value;
  }
  return python_literal(extra);
}

bool uses_random(const std::string& program) { return program.find("import random") != std::string::npos; }

std::string imports(const Plan& plan, const std::string& program) {
  std::string text = plan.in_child ? "import subprocess\nimport sys\n" : "import sys\n";
  if (uses_random(program)) text = "import random\n" + text;
  text += program.find("import torch\n") == std::string::npos ? "\nimport torch\n" : "\n";
  text += "import torch._dynamo.config\nimport torch._inductor.config\n";
  if (!plan.outcomes) text += "from torch._dynamo.utils import same\n";
  text += "from torch.utils._pytree import tree_leaves, tree_map_only\n";
  return text;
}

std::string header(const Plan& plan) {
  std::string text = fmt::format(
      "SEED = {}\nDEVICE = \"{}\"\n"
      "BACKEND = sys.argv[1] if len(sys.argv) > 1 else \"inductor\"  # also: eager, aot_eager, "
      "aot_eager_decomp_partition\n",
      plan.seed, plan.cuda ? "cuda" : "cpu");
  if (plan.cuda) {
    text += "\nif not torch.cuda.is_available():\n    print(\"cannot tell: no CUDA device\")\n    sys.exit(2)\n";
  }
  nlohmann::json inductor{{"fallback_random", true}, {"force_disable_caches", true}};
  if (plan.mode == "inductor_freezing") inductor["freezing"] = true;
  text += fmt::format("INDUCTOR = {}\n", settings(plan.options, "inductor_config", inductor));
  const std::string dynamo = settings(plan.options, "dynamo_config", nlohmann::json::object());
  if (dynamo != "{}") text += fmt::format("DYNAMO = {}\n", dynamo);
  return text;
}

std::string helpers(const Plan& plan, const std::string& program) {
  std::string text =
      "def repro_arguments(value):\n"
      "    if isinstance(value, dict):\n"
      "        return [], value\n"
      "    return (list(value) if isinstance(value, (list, tuple)) else [value]), {}\n\n\n"
      "def repro_seed():\n"
      "    torch.manual_seed(SEED)\n";
  if (uses_random(program)) text += "    random.seed(SEED)\n";
  if (program.find("numpy") != std::string::npos) {
    text += "    __import__(\"numpy\").random.seed(SEED)\n";
  }
  if (plan.cuda) {
    text +=
        "\n\ndef repro_to_device(value):\n"
        "    moved = {}\n\n"
        "    def move(tensor):  # keeps strides and shared storage, which .cuda() would not\n"
        "        storage = tensor.untyped_storage()\n"
        "        if storage.data_ptr() not in moved:\n"
        "            moved[storage.data_ptr()] = storage.cuda()\n"
        "        place = (tensor.storage_offset(), tensor.size(), tensor.stride())\n"
        "        view = torch.empty(0, dtype=tensor.dtype, device=DEVICE).set_(moved[storage.data_ptr()], *place)\n"
        "        return view.requires_grad_(tensor.requires_grad)\n\n"
        "    return tree_map_only(torch.Tensor, move, value)\n";
  }
  if (!plan.outcomes) {
    text +=
        "\n\ndef repro_to_double(tensor):\n"
        "    if not tensor.is_floating_point():\n"
        "        return tensor\n"
        "    return tensor.detach().double().requires_grad_(tensor.requires_grad)\n";
  }
  return text;
}

std::string compile_call(const Plan& plan) {
  std::string arguments = "backend=BACKEND";
  if (plan.mode == "inductor_max_autotune" || plan.mode == "inductor_reduce_overhead") {
    const char* mode = plan.mode == "inductor_max_autotune" ? "max-autotune" : "reduce-overhead";
    arguments += fmt::format(", mode=\"{}\" if BACKEND == \"inductor\" else None", mode);
  }
  if (flag(plan.options, "dynamic") || plan.mode == "inductor_dynamic") arguments += ", dynamic=True";
  if (flag(plan.options, "fullgraph")) arguments += ", fullgraph=True";
  return fmt::format("torch.compile(model, {})", arguments);
}

std::string mark_dynamic(const Plan& plan, const std::string& indent) {
  std::string text;
  const auto marks = plan.options.find("mark_dynamic");
  if (marks == plan.options.end() || !marks->is_array()) return text;
  for (const auto& mark : *marks) {
    if (!mark.is_array() || mark.size() != 2 || !mark[0].is_number_integer() || !mark[1].is_number_integer()) continue;
    text += fmt::format("{0}if compiled:\n{0}    torch._dynamo.mark_dynamic(inputs[{1}], {2})\n", indent,
                        mark[0].get<int>(), mark[1].get<int>());
  }
  return text;
}

std::string one_call(const Plan& plan) {
  const std::string indent = plan.calls > 1 ? "        " : "    ";
  std::string text;
  if (plan.calls > 1) text += fmt::format("    for call in range({}):  # the last one counts\n", plan.calls);
  const char* source = plan.scale ? "get_inputs(scale=call + 1) if call else get_inputs()" : "get_inputs()";
  text += fmt::format("{}repro_seed()\n{}inputs, named = repro_arguments({})\n", indent, indent, source);
  if (plan.cuda) text += indent + "inputs, named = repro_to_device((inputs, named))\n";
  if (!plan.outcomes) {
    text += fmt::format(
        "{0}if double:\n{0}    inputs, named = tree_map_only(torch.Tensor, repro_to_double, "
        "(inputs, named))\n",
        indent);
  }
  if (plan.backward) {
    text += fmt::format(
        "{0}wanted = [t for t in tree_leaves((inputs, named)) if isinstance(t, torch.Tensor)]\n"
        "{0}wanted = [t for t in wanted if t.is_floating_point() or t.is_complex()]\n"
        "{0}for tensor in wanted:\n{0}    tensor.requires_grad_()\n",
        indent);
  }
  text += mark_dynamic(plan, indent);
  text += fmt::format("{0}repro_seed()\n{0}outputs = function(*inputs, **named)\n", indent);
  if (plan.cuda) text += indent + "torch.cuda.synchronize()\n";
  return text;
}

std::string backward_lines(const Plan& plan) {
  std::string text =
      "    generator = torch.Generator().manual_seed(20011)\n"
      "    ends = [t for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad]\n"
      "    weights = [torch.randn(t.shape, dtype=torch.float64, generator=generator).to(t) for t in ends]\n"
      "    torch.autograd.backward(ends, weights)\n";
  if (plan.cuda) text += "    torch.cuda.synchronize()\n";
  return text;
}

std::string results(const Plan& plan) {
  if (plan.outcomes) return "    return outputs\n";
  std::string text = "    results = {f\"output {i}\": leaf for i, leaf in enumerate(tree_leaves(outputs))}\n";
  if (plan.changes_state) {
    text +=
        "    results |= {f\"input {i} afterwards\": leaf for i, leaf in enumerate(tree_leaves((inputs, named)))}\n"
        "    results |= {f\"state {name} afterwards\": tensor for name, tensor in model.state_dict().items()}\n";
  }
  if (plan.backward) {
    text +=
        "    wanted += model.parameters()\n"
        "    zero = torch.zeros_like  # compiled code may return zeros where eager returns nothing\n"
        "    results |= {f\"gradient {i}\": zero(t) if t.grad is None else t.grad for i, t in enumerate(wanted)}\n";
  }
  return text + "    return results\n";
}

std::string run_function(const Plan& plan) {
  std::string text = plan.outcomes ? "def repro_run(compiled):\n" : "def repro_run(compiled, double=False):\n";
  text += "    torch._dynamo.reset()\n    repro_seed()\n";
  text += plan.init_inputs ? "    positional, keywords = repro_arguments(get_init_inputs())\n"
                             "    model = Model(*positional, **keywords)"
                           : "    model = Model()";
  text += plan.cuda ? ".to(DEVICE)" : "";
  text += plan.train ? ".train()\n" : ".eval()\n";
  if (!plan.outcomes) text += "    if double:\n        model.double()\n";
  text += fmt::format("    function = {} if compiled else model\n", compile_call(plan));
  text += one_call(plan);
  if (plan.backward) text += backward_lines(plan);
  return text + results(plan);
}

std::string settings_context(const Plan& plan) {
  const bool dynamo = settings(plan.options, "dynamo_config", nlohmann::json::object()) != "{}";
  return fmt::format("with torch.set_grad_enabled({}), torch._inductor.config.patch(INDUCTOR){}:\n",
                     plan.grad ? "True" : "False", dynamo ? ", torch._dynamo.config.patch(DYNAMO)" : "");
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

constexpr const char* kLayout = R"(def repro_layout(results):
    storages = [t.untyped_storage().data_ptr() if isinstance(t, torch.Tensor) else None for t in results.values()]
    return {
        name: (tensor.stride(), tensor.requires_grad, storages.index(storages[i]))
        for i, (name, tensor) in enumerate(results.items())
        if isinstance(tensor, torch.Tensor) and tensor.numel() > 0
    }


)";

std::string compare_main(const Plan& plan) {
  std::string text = plan.layout ? std::string(kCompare) + kLayout : kCompare;
  text += "def repro_main():\n    " + settings_context(plan) +
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

std::string behaviour_main(const Plan& plan) {
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
      kChain, settings_context(plan), plan.expected_error);
}

std::string missing_check_main(const Plan& plan) {
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
      "            print(f\"not shown: compiled raises {{type(error).__name__}}: {{error}}\")\n"
      "            return 1\n"
      "    print(f\"shown: compiled accepts it and returns {{outputs}}\")\n"
      "    return 0\n",
      settings_context(plan));
}

std::string child_main(const Plan& plan, Kind kind) {
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
      settings_context(plan), hang ? "hang" : "die", kLimitSeconds, hang ? "shown" : "cannot tell", hang ? 0 : 2,
      hang ? "cannot tell" : "shown", hang ? 2 : 0);
}

std::string main_function(const Plan& plan, Kind kind) {
  if (plan.in_child) return child_main(plan, kind);
  if (kind == Kind::behaviour) return behaviour_main(plan);
  return kind == Kind::missing_check ? missing_check_main(plan) : compare_main(plan);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string render_repro(const DraftFacts& facts) {
  const Plan plan = plan_of(facts);
  std::string program = clean_text(facts.finding.reduced);
  while (program.ends_with('\n')) program.pop_back();
  std::string harness = imports(plan, program) + "\n" + header(plan) + "\n\n" + helpers(plan, program) + "\n\n" +
                        run_function(plan) + "\n\n" + main_function(plan, facts.finding.kind) +
                        "\n\nif __name__ == \"__main__\":\n    sys.exit(repro_main())\n";
  if (program.find("repro_") != std::string::npos) replace_all(harness, "repro_", "parityd_repro_");
  return fmt::format(
      "# Needs torch only. Seen with torch {} on {}. Exit code: 0 shown, 1 not shown, 2 cannot tell.\n"
      "{}\n\n\n"
      "# ---- The program ends here; what follows runs it eager and compiled.\n"
      "{}",
      clean_line(facts.finding.torch), plan.cuda ? "cuda" : "cpu", program, harness);
}

}  // namespace parityd::store
