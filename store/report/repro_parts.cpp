#include "store/report/repro_parts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/python.h"

namespace parityd::store {
namespace {

using oracle::Kind;

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

/// In an attribute of what forward returns: a pytree ends at the object, whose repr is its address.
bool reported_in_object(const DraftFacts& facts) {
  static const RE2 kAttribute(R"(output(?:\[[^\]]*\]|\.\w+)*\.[A-Za-z_]\w*.*)", RE2::Latin1);
  return std::ranges::any_of(facts.rounds, [](const EvidenceRow& round) {
    return std::ranges::any_of(round.verdict.leaves,
                               [](const std::string& leaf) { return RE2::FullMatch(leaf, kAttribute); });
  });
}

/// Only Inductor writes other code for another number of threads.
int threads_needed(const DraftFacts& facts) {
  const int threads = threads_of(facts);
  const bool one = facts.finding.device != "cuda" && facts.finding.stage == oracle::Stage::inductor;
  if (threads > 1) return threads;
  return one && !facts.any_threads ? 1 : 0;
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

std::string settings(const nlohmann::json& options, const char* key, nlohmann::json extra) {
  if (const auto found = options.find(key); found != options.end() && found->is_object()) {
    for (const auto& [name, value] : found->items()) extra[name] = value;
  }
  return python_literal(extra);
}

std::string configured(const ReproPlan& plan, const char* key) {
  return settings(plan.options, key, nlohmann::json::object());
}

std::string compile_call(const ReproPlan& plan) {
  if (flag(plan.options, "graph")) return "repro_compiled_graph(model)";
  std::string arguments = "backend=BACKEND";
  if (plan.mode == "inductor_max_autotune" || plan.mode == "inductor_reduce_overhead") {
    const char* mode = plan.mode == "inductor_max_autotune" ? "max-autotune" : "reduce-overhead";
    arguments += fmt::format(", mode=\"{}\" if BACKEND == \"inductor\" else None", mode);
  }
  const std::string flags = compile_flags(plan);
  return fmt::format("torch.compile(model, {}{}{})", arguments, flags.empty() ? "" : ", ", flags);
}

}  // namespace

std::string compile_flags(const ReproPlan& plan) {
  std::string flags = flag(plan.options, "dynamic") || plan.mode == "inductor_dynamic" ? "dynamic=True" : "";
  if (flag(plan.options, "fullgraph")) flags += flags.empty() ? "fullgraph=True" : ", fullgraph=True";
  return flags;
}

std::string graph_function(const ReproPlan& plan) {
  if (!flag(plan.options, "graph")) return "";
  return "\n\ndef repro_compiled_graph(model):  # inductor alone, without Dynamo and AOTAutograd\n"
         "    from torch._inductor.compile_fx import compile_fx_inner\n"
         "    from torch.fx.experimental.proxy_tensor import make_fx\n\n"
         "    return lambda *inputs: compile_fx_inner(make_fx(model)(*inputs), list(inputs))(list(inputs))\n";
}

std::string autocast_of(const ReproPlan& plan) {
  const auto found = plan.options.find("autocast");
  if (found == plan.options.end() || *found == false) return "";
  const std::string dtype = found->is_string() ? ", dtype=torch." + clean_line(found->get<std::string>()) : "";
  return fmt::format("torch.autocast(\"{}\"{})", plan.cuda ? "cuda" : "cpu", dtype);
}

std::string default_dtype_of(const ReproPlan& plan) {
  const auto found = plan.options.find("default_dtype");
  if (found == plan.options.end() || !found->is_string() || *found == "float32") return "";
  return fmt::format("torch.set_default_dtype(torch.{})\n", clean_line(found->get<std::string>()));
}

std::string mark_dynamic(const ReproPlan& plan, const std::string& indent) {
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

namespace {

std::string one_call(const ReproPlan& plan) {
  const std::string indent = plan.calls > 1 ? "        " : "    ";
  std::string text;
  if (plan.earlier_calls) text += "    earlier = []\n";
  if (plan.calls > 1) {
    const char* counts = plan.earlier_calls ? "all of them count" : "the last one counts";
    text += fmt::format("    for call in range({}):  # {}\n", plan.calls, counts);
  }
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
  const std::string autocast = autocast_of(plan);
  text += indent + "repro_seed()\n" + (autocast.empty() ? "" : fmt::format("{}with {}:\n    ", indent, autocast));
  text += indent + "outputs = function(*inputs, **named)\n";
  if (plan.cuda) text += indent + "torch.cuda.synchronize()\n";
  if (plan.earlier_calls) text += indent + "earlier.append(outputs)\n";
  return text;
}

std::string backward_lines(const ReproPlan& plan) {
  std::string text =
      "    generator = torch.Generator().manual_seed(20011)\n"
      "    ends = [t for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad]\n"
      "    weights = [torch.randn(t.shape, dtype=torch.float64, generator=generator).to(t) for t in ends]\n"
      "    torch.autograd.backward(ends, weights)\n";
  if (plan.cuda) text += "    torch.cuda.synchronize()\n";
  return text;
}

std::string results(const ReproPlan& plan) {
  if (plan.outcomes) return "    return outputs\n";
  std::string text = plan.objects ? "    outputs = tree_map_only(object, repro_opened, outputs)\n" : "";
  text += "    results = {f\"output {i}\": leaf for i, leaf in enumerate(tree_leaves(outputs))}\n";
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
  if (plan.earlier_calls)
    text += "    results |= {f\"output {i} of all calls\": leaf for i, leaf in enumerate(tree_leaves(earlier))}\n";
  if (plan.keeps_state) {
    text +=
        "    own = vars(torch.nn.Module()).keys()\n"
        "    kept = [value for m in model.modules() for name, value in vars(m).items() if name not in own]\n"
        "    kept = [leaf for leaf in tree_leaves(kept) if isinstance(leaf, (torch.Tensor, int, float, str))]\n"
        "    results |= {f\"kept {i}\": leaf for i, leaf in enumerate(kept)}\n";
  }
  if (plan.leaves_gradients) {
    text +=
        "    held = [*tree_leaves((inputs, named)), *model.parameters()]\n"
        "    held = [t.grad for t in held if isinstance(t, torch.Tensor) and t.is_leaf]\n"
        "    results |= {f\"gradient {i} left\": t for i, t in enumerate(held) if t is not None}\n";
  }
  return text + globals_left(plan) + "    return results\n";
}

constexpr const char* kLayout = R"(def repro_layout(results):
    storages = [t.untyped_storage().data_ptr() if isinstance(t, torch.Tensor) else None for t in results.values()]
    return {
        name: (tensor.stride(), tensor.requires_grad, storages.index(storages[i]))
        for i, (name, tensor) in enumerate(results.items())
        if isinstance(tensor, torch.Tensor) and tensor.numel() > 0
    }


)";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

ReproPlan repro_plan(const DraftFacts& facts) {
  ReproPlan plan;
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
  plan.threads = threads_needed(facts);
  plan.backward = flag(plan.options, "backward");
  plan.grad = plan.backward || flag(plan.options, "grad");
  plan.own_random = flag(plan.options, "own_random");
  plan.train = flag(plan.options, "train");
  static const RE2 kScaled(R"(def\s+get_inputs\([^)]*scale)", RE2::Latin1);
  plan.scale = plan.calls > 1 && RE2::PartialMatch(facts.finding.reduced, kScaled);
  plan.init_inputs = facts.finding.reduced.find("def get_init_inputs") != std::string::npos;
  plan.random = facts.finding.reduced.find("import random") != std::string::npos;
  plan.in_child = kind == Kind::crash || kind == Kind::hang;
  plan.outcomes = oracle::fails(kind) || kind == Kind::missing_check;
  plan.changes_state = kind == Kind::mutation || reported(facts, "input_after") || reported(facts, "buffer.") ||
                       reported(facts, "parameter.");
  plan.keeps_state = reported(facts, "state.");
  plan.globals = globals_reported(facts);
  plan.objects = reported_in_object(facts);
  plan.earlier_calls = plan.calls > 1 && reported(facts, "call[");
  plan.leaves_gradients = !plan.backward && reported(facts, "gradient.");
  plan.layout = kind == Kind::metadata;
  if (kind == Kind::behaviour) plan.expected_error = expected_error(facts);
  return plan;
}

std::string repro_header(const ReproPlan& plan, const std::string& backend) {
  std::string text;
  if (plan.threads > 0) {
    text = fmt::format("torch.set_num_threads({})  # as where it was found: Inductor's C++ code depends on it\n\n",
                       plan.threads);
  }
  text += fmt::format(
      "SEED = {}\nDEVICE = \"{}\"\n"
      "BACKEND = {}\n",
      plan.seed, plan.cuda ? "cuda" : "cpu", backend);
  nlohmann::json inductor{{"fallback_random", !plan.own_random}, {"force_disable_caches", true}};
  if (plan.mode == "inductor_freezing") inductor["freezing"] = true;
  text += fmt::format("INDUCTOR = {}\n", settings(plan.options, "inductor_config", inductor));
  const std::string dynamo = configured(plan, "dynamo_config"), functorch = configured(plan, "functorch_config");
  if (dynamo != "{}") text += fmt::format("DYNAMO = {}\n", dynamo);
  if (functorch != "{}") text += fmt::format("FUNCTORCH = {}\n", functorch);
  text += default_dtype_of(plan);
  return text + globals_at_start(plan);
}

std::string repro_helpers(const ReproPlan& plan, const std::string& program) {
  std::string text =
      "def repro_arguments(value):\n"
      "    if isinstance(value, dict):\n"
      "        return [], value\n"
      "    return (list(value) if isinstance(value, (list, tuple)) else [value]), {}\n\n\n"
      "def repro_seed():\n"
      "    torch.manual_seed(SEED)\n";
  if (plan.random) text += "    random.seed(SEED)\n";
  if (program.find("numpy") != std::string::npos) {
    text += "    __import__(\"numpy\").random.seed(SEED)\n";
  }
  text += graph_function(plan);
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
  if (plan.objects && !plan.outcomes) {
    text +=
        "\n\ndef repro_opened(value):  # what an object holds, in its place\n"
        "    if isinstance(value, (torch.Tensor, int, float, complex, str, bytes)):\n"
        "        return value\n"
        "    slots = [name for name in getattr(type(value), \"__slots__\", ()) if hasattr(value, name)]\n"
        "    held = {name: getattr(value, name) for name in slots} | getattr(value, \"__dict__\", {})\n"
        "    return tree_map_only(object, repro_opened, held) if held else value\n";
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

std::string repro_run_function(const ReproPlan& plan) {
  std::string text = plan.outcomes ? "def repro_run(compiled):\n" : "def repro_run(compiled, double=False):\n";
  text += "    torch._dynamo.reset()\n" + globals_anew(plan) + "    repro_seed()\n";
  text += plan.init_inputs ? "    positional, keywords = repro_arguments(get_init_inputs())\n"
                             "    model = Model(*positional, **keywords)"
                           : "    model = Model()";
  text += plan.cuda ? ".to(DEVICE)" : "";
  text += plan.train ? ".train()\n" : ".eval()\n";
  if (!plan.outcomes) text += "    if double:\n        model.double()\n";
  const char* const on = flag(plan.options, "graph") ? " and not torch._dynamo.config.disable" : "";  // compile's own
  text += fmt::format("    function = {} if compiled{} else model\n", compile_call(plan), on);
  text += one_call(plan);
  if (plan.backward) text += backward_lines(plan);
  return text + results(plan);
}

std::string repro_settings(const ReproPlan& plan) {
  const bool dynamo = configured(plan, "dynamo_config") != "{}";
  const bool functorch = configured(plan, "functorch_config") != "{}";
  return fmt::format("with torch.set_grad_enabled({}), torch._inductor.config.patch(INDUCTOR){}{}:\n",
                     plan.grad ? "True" : "False", dynamo ? ", torch._dynamo.config.patch(DYNAMO)" : "",
                     functorch ? ", torch._functorch.config.patch(FUNCTORCH)" : "");
}

std::string repro_layout_function() { return kLayout; }

std::string repro_program(const DraftFacts& facts) {
  std::string program = clean_text(facts.finding.reduced);
  while (program.ends_with('\n')) program.pop_back();
  return program;
}

std::string without_prefix(std::string harness) {
  replace_all(harness, "repro_", "");
  return harness;
}

std::string without_clashes(std::string harness, const std::string& program) {
  if (program.find("repro_") != std::string::npos) replace_all(harness, "repro_", "parityd_repro_");
  return harness;
}

}  // namespace parityd::store
