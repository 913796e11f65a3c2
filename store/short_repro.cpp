#include "store/short_repro.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "store/draft_parts.h"
#include "store/python.h"
#include "store/repro_parts.h"
#include "store/shown_values.h"
#include "store/text.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::size_t kCommentLimit = 200;  // characters

/// What a function of the program returns, read off its first return.
enum class Returned { list, named, other };

Returned returned_by(const std::string& program, const std::string& function) {
  const std::size_t start = program.find("def " + function);
  const std::size_t at = start == std::string::npos ? start : program.find("return ", start);
  if (at == std::string::npos) return Returned::other;
  const std::string_view value = std::string_view(program).substr(at + std::string_view("return ").size());
  if (value.starts_with("{") || value.starts_with("dict(")) return Returned::named;
  const bool list = value.starts_with("[") || value.starts_with("(") || value.starts_with("tuple(");
  return list || value.starts_with("list(") ? Returned::list : Returned::other;
}

/// The program without its OPTIONS, which the harness carries out.
std::string without_options(const std::string& program) {
  const std::size_t start = program.starts_with("OPTIONS = {") ? 0 : program.find("\nOPTIONS = {");
  if (start == std::string::npos) return program;
  int open = 0;
  for (std::size_t at = program.find('{', start); at < program.size(); ++at) {
    open += program[at] == '{' ? 1 : program[at] == '}' ? -1 : 0;
    if (open > 0) continue;
    const std::size_t rest = program.find_first_not_of('\n', program.find('\n', at));
    const std::string before = program.substr(0, start == 0 ? 0 : start + 1);
    return rest == std::string::npos ? before.substr(0, before.find_last_not_of('\n') + 1)
                                     : before + "\n" + program.substr(rest);
  }
  return program;
}

/// torch.compile's arguments for the mode and the options.
std::string plain_compile_call(const ReproPlan& plan) {
  if (!graph_function(plan).empty()) return "repro_compiled_graph(model)";
  std::string arguments = "model";
  if (plan.mode == "inductor_max_autotune") arguments += ", mode=\"max-autotune\"";
  if (plan.mode == "inductor_reduce_overhead") arguments += ", mode=\"reduce-overhead\"";
  const std::string flags = compile_flags(plan);
  return fmt::format("torch.compile({}{}{})", arguments, flags.empty() ? "" : ", ", flags);
}

std::string assignments(const nlohmann::json& options, const char* key, const char* module) {
  std::string text;
  const auto found = options.find(key);
  if (found == options.end() || !found->is_object()) return text;
  static const RE2 kName(R"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", RE2::Latin1);
  for (const auto& [name, value] : found->items()) {
    if (RE2::FullMatch(name, kName)) text += fmt::format("{}.{} = {}\n", module, name, python_literal(value));
  }
  return text;
}

std::string settings(const ReproPlan& plan) {
  std::string text = plan.backward ? "from torch.utils._pytree import tree_leaves\n\n" : "";
  text += "torch._inductor.config.fallback_random = True\n";
  // One thread, with gradients, would be one more line than people read.
  if (plan.threads > (plan.backward ? 1 : 0)) text += fmt::format("torch.set_num_threads({})\n", plan.threads);
  if (plan.mode == "inductor_freezing") text += "torch._inductor.config.freezing = True\n";
  text += assignments(plan.options, "inductor_config", "torch._inductor.config");
  text += assignments(plan.options, "dynamo_config", "torch._dynamo.config");
  const std::string functorch = assignments(plan.options, "functorch_config", "torch._functorch.config");
  if (!functorch.empty()) text += "import torch._functorch.config\n\n" + functorch;
  text += default_dtype_of(plan);
  return plan.grad ? text : text + "torch.set_grad_enabled(False)\n";
}

/// The statement that seeds; a function where it takes more than one.
struct Seeding {
  std::string function;  // its definition; may be empty
  std::string call;
};

Seeding seeding(const ReproPlan& plan, const std::string& program) {
  const std::string torch_seed = fmt::format("torch.manual_seed({})", plan.seed);
  std::string more;
  if (plan.random) more += fmt::format("    random.seed({})\n", plan.seed);
  if (program.find("numpy") != std::string::npos) {
    more += fmt::format("    __import__(\"numpy\").random.seed({})\n", plan.seed);
  }
  if (more.empty()) return {.function = "", .call = torch_seed};
  return {.function = "\ndef repro_seed():\n    " + torch_seed + "\n" + more, .call = "repro_seed()"};
}

std::string model_line(const ReproPlan& plan, const std::string& program) {
  std::string arguments;
  if (plan.init_inputs) {
    arguments = returned_by(program, "get_init_inputs") == Returned::named ? "**" : "*";
    arguments += "get_init_inputs()";
  }
  return fmt::format("model = Model({}){}{}\n", arguments, plan.cuda ? ".cuda()" : "",
                     plan.train ? ".train()" : ".eval()");
}

std::string inputs_lines(const ReproPlan& plan, Returned returned, const std::string& indent) {
  const char* const call = plan.scale ? "get_inputs(scale=call + 1) if call else get_inputs()" : "get_inputs()";
  std::string text = fmt::format("{}inputs = {}\n", indent, call);
  if (returned == Returned::other) {
    text += indent + "inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]\n";
  }
  if (plan.cuda) {
    text += indent + "inputs = torch.utils._pytree.tree_map_only(torch.Tensor, torch.Tensor.cuda, inputs)\n";
  }
  if (plan.backward) {
    text += fmt::format(
        "{0}for tensor in tree_leaves(inputs):\n"
        "{0}    if isinstance(tensor, torch.Tensor) and (tensor.is_floating_point() or tensor.is_complex()):\n"
        "{0}        tensor.requires_grad_()\n",
        indent);
  }
  return text + mark_dynamic(plan, indent);
}

constexpr const char* kBackward =
    "    ends = [t for t in tree_leaves(output) if isinstance(t, torch.Tensor) and t.requires_grad]\n"
    "    generator = torch.Generator().manual_seed(20011)\n"
    "    weights = [torch.randn(t.shape, dtype=torch.float64, generator=generator).to(t) for t in ends]\n"
    "    torch.autograd.backward(ends, weights)\n";

/// The same where all that the model returns is one tensor.
constexpr const char* kBackwardOfOne =
    "    generator = torch.Generator().manual_seed(20011)\n"
    "    output.backward(torch.randn(output.shape, dtype=torch.float64, generator=generator).to(output))\n";

bool returns_one_tensor(const EvidenceRow* round) {
  const auto* const measured =
      round != nullptr ? round->evidence.measurement(oracle::Mode::eager, round->evidence.compiled) : nullptr;
  if (measured == nullptr) return false;
  const auto of_output = [](const auto& leaf) { return leaf.group == oracle::LeafGroup::output; };
  return std::ranges::count_if(measured->leaves, of_output) == 1 && measured->find("output") != nullptr;
}

std::string run_function(const ReproPlan& plan, const std::string& program, const std::string& expression,
                         const char* backward) {
  const Seeding seed = seeding(plan, program);
  const Returned returned = returned_by(program, "get_inputs");
  const std::string indent = plan.calls > 1 ? "        " : "    ";
  const char* const stars = returned == Returned::named ? "**" : "*";
  std::string text = graph_function(plan) + seed.function + "\n\ndef repro_run(compiled):\n    " + seed.call +
                     "\n    " + model_line(plan, program);
  std::string called = fmt::format("({} if compiled else model)", plain_compile_call(plan));
  if (plan.calls > 1) {
    text += fmt::format("    function = {} if compiled else model\n    for call in range({}):\n",
                        plain_compile_call(plan), plan.calls);
    called = "function";
  }
  text += fmt::format("{0}{1}\n{2}{0}{1}\n", indent, seed.call, inputs_lines(plan, returned, indent));
  const bool directly = plan.calls == 1 && !plan.backward && expression == "output";
  const std::string autocast = autocast_of(plan);
  if (!autocast.empty()) text += fmt::format("{}with {}:\n    ", indent, autocast);
  text += fmt::format("{}{}{}({}inputs)\n", indent, directly ? "return " : "output = ", called, stars);
  if (plan.backward) text += backward;
  return directly ? text : text + fmt::format("    return {}\n", expression);
}

std::string comment(const std::string& line) { return "# " + line + "\n"; }

/// The lines that print, with what they print.
std::string ending(const DraftFacts& facts, const std::vector<ShownValue>& values, ShortRepro& repro) {
  const Kind kind = facts.finding.kind;
  const EvidenceRow* const round = shown_round(facts);
  const auto raised = [&](oracle::Mode mode) {
    const auto* const outcome = round != nullptr ? round->evidence.outcome(mode) : nullptr;
    repro.raised = outcome != nullptr && outcome->error ? error_line(*outcome->error) : "";
    return repro.raised.empty() ? comment("raises") : comment(shortened(repro.raised, kCommentLimit));
  };
  if (kind == Kind::missing_check) {
    return "repro_run(True)  # compiled: runs\nrepro_run(False)  # eager: raises\n" + raised(oracle::Mode::eager);
  }
  if (kind == Kind::behaviour) {
    const auto compiled = round != nullptr ? round->evidence.compiled : oracle::Mode::inductor;
    return "repro_run(False)  # eager: runs\nrepro_run(True)  # compiled: raises\n" + raised(compiled);
  }
  if (kind == Kind::crash || kind == Kind::hang) {
    const auto* const outcome = round != nullptr ? round->evidence.outcome(round->evidence.compiled) : nullptr;
    const std::string death = outcome != nullptr && outcome->signal > 0
                                  ? fmt::format("the process dies of signal {}", outcome->signal)
                                  : "the process dies";
    return fmt::format("repro_run(False)  # eager: {}\nrepro_run(True)  # compiled: {}\n",
                       kind == Kind::hang ? "ends" : "does not die", kind == Kind::hang ? "does not end" : death);
  }
  std::string text = "print(\"eager:   \", repro_run(False))\nprint(\"compiled:\", repro_run(True))\n";
  if (values.empty() || values.front().eager.empty() || values.front().expression.empty()) {
    return values.empty() ? text : text + comment("They differ: " + clean_line(values.front().detail));
  }
  repro.printed = {"eager:    " + values.front().eager, "compiled: " + values.front().compiled};
  return text + comment(repro.printed[0]) + comment(repro.printed[1]);
}

}  // namespace

ShortRepro short_repro(const DraftFacts& facts) {
  const ReproPlan plan = repro_plan(facts);
  const std::string program = without_options(repro_program(facts));
  std::vector<ShownValue> values = shown_values(facts, 100);
  const auto known = std::find_if(values.begin(), values.end(), [](const ShownValue& value) {
    return !value.expression.empty() && !value.eager.empty();
  });
  if (known != values.end()) std::iter_swap(values.begin(), known);
  const bool reached = !values.empty() && !values.front().expression.empty();
  ShortRepro repro;
  const char* const backward = returns_one_tensor(shown_round(facts)) ? kBackwardOfOne : kBackward;
  std::string harness = settings(plan) +
                        run_function(plan, program, reached ? values.front().expression : "output", backward) + "\n\n" +
                        ending(facts, values, repro);
  const bool clash = program.find("def run(") != std::string::npos || program.find("def seed(") != std::string::npos ||
                     program.find("repro_") != std::string::npos;
  harness = clash ? without_clashes(std::move(harness), program) : without_prefix(std::move(harness));
  const char* const import = program.find("import torch\n") == std::string::npos ? "import torch\n" : "";
  repro.text = program + "\n\n\n" + import + harness;
  return repro;
}

std::size_t code_lines(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t");
    count += first != std::string_view::npos && line[first] != '#' ? 1 : 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return count;
}

}  // namespace parityd::store
