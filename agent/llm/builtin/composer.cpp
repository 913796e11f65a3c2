#include "agent/llm/builtin/composer.h"

#include <algorithm>
#include <vector>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

struct Input {
  std::string name, expression;
};

struct Draft {
  std::vector<Input> inputs;
  std::vector<std::string> outputs;
  bool gradient = false;  // some output is floating and depends on an input or parameter
};

/// Sizes of a program come from few numbers, so that tensors fit together often.
Shape draw_shape(Random& random, const std::vector<long>& sizes, long rank) {
  Shape shape;
  for (long at = 0; at < rank; ++at) shape.push_back(random.pick(sizes));
  return shape;
}

/// The layout is what a caller's tensor may have: fresh, a transposed view, every other column.
std::string with_layout(Random& random, const Shape& shape, const std::string& maker) {
  if (shape.size() >= 2 && random.chance(18)) {
    Shape turned = shape;
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    return maker + "(" + sizes_text(turned) + ").transpose(-1, -2)";
  }
  if (!shape.empty() && random.chance(10)) {
    Shape wider = shape;
    wider.back() *= 2;
    return maker + "(" + sizes_text(wider) + ")[..., ::2]";
  }
  return maker + "(" + (shape.empty() ? "()" : sizes_text(shape)) + ")";
}

Input float_input(Scope& scope, const std::string& name, const Shape& shape) {
  Random& random = scope.random();
  const bool normal = random.chance(75);
  const Type type =
      random.chance(76) ? Type::f32 : random.pick(std::vector<Type>{Type::f64, Type::f64, Type::bf16, Type::f16});
  std::string text = with_layout(random, shape, normal ? "torch.randn" : "torch.rand");
  if (type != Type::f32) text += std::string(".to(torch.") + torch_name(type) + ")";
  scope.declare({name, type, shape, normal ? Range{-6, 6} : Range{0, 1}, true, 0});
  return {name, text};
}

Input integer_input(Scope& scope, const std::string& name, const Shape& shape, const std::vector<long>& sizes) {
  Random& random = scope.random();
  if (random.chance(30)) {
    scope.declare({name, Type::boolean, shape, {0, 1}, false, 0});
    return {name, "torch.rand(" + sizes_text(shape) + ") > 0.5"};
  }
  const std::string size = ", (" + sizes_text(shape) + (shape.size() == 1 ? ",)" : ")");
  if (random.chance(55)) {  // good as an index
    const long high = *std::min_element(sizes.begin(), sizes.end());
    scope.declare({name, Type::i64, shape, {0, static_cast<double>(high - 1)}, false, 0});
    return {name, "torch.randint(0, " + std::to_string(high) + size + ")"};
  }
  const Type type = random.pick(std::vector<Type>{Type::i64, Type::i32, Type::i32, Type::i16, Type::i8, Type::u8});
  const long low = type == Type::u8 ? 0 : -20;
  const long high = type == Type::u8 ? 200 : random.chance(20) ? 0 : 20;
  scope.declare({name, type, shape, {static_cast<double>(low), static_cast<double>(high - 1)}, false, 0});
  return {name, "torch.randint(" + std::to_string(low) + ", " + std::to_string(high) + size + ", dtype=torch." +
                    torch_name(type) + ")"};
}

std::vector<Input> draw_inputs(Scope& scope) {
  Random& random = scope.random();
  std::vector<long> sizes{random.between(2, 6), random.between(3, 9), random.pick(std::vector<long>{4, 8, 12, 16})};
  if (random.chance(15)) sizes.push_back(random.pick(std::vector<long>{17, 31, 33}));
  const long rank = random.between(1, 4);
  const Shape main = draw_shape(random, sizes, rank);
  const std::vector<std::string> names{"x", "y", "z"};
  std::vector<Input> inputs{float_input(scope, names[0], main)};
  const std::size_t count = 1 + random.below(3);
  for (std::size_t at = 1; at < count; ++at) {
    Shape shape = main;
    if (random.chance(35)) shape.erase(shape.begin());
    if (!shape.empty() && random.chance(25)) shape[random.below(shape.size())] = 1;
    if (random.chance(25)) shape = draw_shape(random, sizes, random.between(1, 2));
    if (random.chance(60) || shape.empty()) {
      inputs.push_back(float_input(scope, names[at], shape));
    } else {
      inputs.push_back(integer_input(scope, random.chance(50) ? "index" : names[at], shape, sizes));
      if (at + 1 < count && inputs.back().name == "index") break;  // one index is enough, and its name is taken
    }
  }
  return inputs;
}

const std::vector<Rule>& draw_family(Random& random) {
  const std::size_t ticket = random.below(100);
  if (ticket < 20) return pointwise_rules();
  if (ticket < 38) return binary_rules();
  if (ticket < 54) return reduction_rules();
  if (ticket < 74) return view_rules();
  if (ticket < 84) return index_rules();
  return layer_rules();
}

/// What nothing used, latest first; at least one value that a line computed.
void choose_outputs(const Scope& scope, const std::vector<Input>& inputs, Draft& draft) {
  const auto& values = scope.values();
  const auto take = [&](const Value& value) {
    if (draft.outputs.size() >= 4) return;
    draft.outputs.push_back(value.name);
    draft.gradient = draft.gradient || value.gradient;
  };
  for (auto value = values.rbegin(); value != values.rend() - static_cast<std::ptrdiff_t>(inputs.size()); ++value) {
    if (value->uses == 0) take(*value);
  }
  if (draft.outputs.empty()) take(values.back());
}

std::string options_text(Random& random, const Draft& draft, const std::string& body) {
  std::vector<std::string> entries;
  if (draft.gradient && random.chance(30)) entries.insert(entries.end(), {"\"grad\": True", "\"backward\": True"});
  const bool trainable = body.find("nn.Dropout") != std::string::npos || body.find("nn.BatchNorm") != std::string::npos;
  if (trainable && random.chance(50)) entries.emplace_back("\"train\": True");
  if (random.chance(18)) entries.emplace_back("\"dynamic\": True");
  if (entries.empty()) return "";
  std::string text = "\n\nOPTIONS = {";
  for (std::size_t at = 0; at < entries.size(); ++at) text += (at > 0 ? ", " : "") + entries[at];
  return text + "}\n";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// __init__, where there are modules, and forward.
std::string model_text(const Scope& scope, const Draft& draft) {
  std::string text = "class Model(torch.nn.Module):\n";
  if (!scope.module_lines().empty()) {
    text += "    def __init__(self):\n        super().__init__()\n";
    for (const std::string& line : scope.module_lines()) text += "        " + line + "\n";
    text += "\n";
  }
  std::vector<std::string> parameters{"self"};
  for (const Input& input : draft.inputs) parameters.push_back(input.name);
  text += "    def forward(" + listed(parameters) + "):\n";
  for (const std::string& line : scope.lines()) text += "        " + line + "\n";
  return text + "        return " + listed(draft.outputs) + "\n";
}

std::string inputs_text(const Draft& draft) {
  std::string text = "\n\ndef get_inputs():\n";
  std::vector<std::string> names;
  for (const Input& input : draft.inputs) {
    text += "    " + input.name + " = " + input.expression + "\n";
    names.push_back(input.name);
  }
  return text + "    return [" + listed(names) + "]\n";
}

}  // namespace

std::string compose(std::uint64_t seed) {
  Random random(seed);
  Scope scope(random);
  Draft draft;
  draft.inputs = draw_inputs(scope);
  const auto lines = static_cast<std::size_t>(random.between(4, 12));
  // Rules that find no operand pass; sixty draws are plenty for any inputs.
  for (int draws = 0; draws < 60 && scope.lines().size() < lines; ++draws) {
    (void)random.pick(draw_family(random)).apply(scope);
  }
  if (scope.lines().empty()) scope.emit("h", "x * 2", Type::f32, {}, {0, 0}, true);
  choose_outputs(scope, draft.inputs, draft);
  const std::string body = model_text(scope, draft) + inputs_text(draft);
  std::string head = "import torch\n";
  if (body.find("F.") != std::string::npos) head += "import torch.nn.functional as F\n";
  if (body.find(" nn.") != std::string::npos) head += "from torch import nn\n";
  return head + "\n\n" + body + options_text(random, draft, body);
}

}  // namespace parityd::agent
