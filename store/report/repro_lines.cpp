#include "store/report/repro_lines.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "store/report/python.h"

namespace parityd::store {
namespace {

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

}  // namespace

Returned returned_by(const std::string& program, const std::string& function) {
  const std::size_t start = program.find("def " + function);
  const std::size_t at = start == std::string::npos ? start : program.find("return ", start);
  if (at == std::string::npos) return Returned::other;
  const std::string_view value = std::string_view(program).substr(at + std::string_view("return ").size());
  if (value.starts_with("{") || value.starts_with("dict(")) return Returned::named;
  const bool list = value.starts_with("[") || value.starts_with("(") || value.starts_with("tuple(");
  return list || value.starts_with("list(") ? Returned::list : Returned::other;
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

std::string plain_settings(const ReproPlan& plan) {
  std::string text = plan.backward ? "from torch.utils._pytree import tree_leaves\n\n" : "";
  text += plan.own_random ? "torch._inductor.config.fallback_random = False  # the default\n"
                          : "torch._inductor.config.fallback_random = True\n";
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

std::string backward_of_all() {
  return "    ends = [t for t in tree_leaves(output) if isinstance(t, torch.Tensor) and t.requires_grad]\n"
         "    generator = torch.Generator().manual_seed(20011)\n"
         "    weights = [torch.randn(t.shape, dtype=torch.float64, generator=generator).to(t) for t in ends]\n"
         "    torch.autograd.backward(ends, weights)\n";
}

}  // namespace parityd::store
