// Views, rearrangements, joins, and writes into copies.
#include <algorithm>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

bool has_dimensions(const Value& value) { return value.rank() > 0; }
bool has_plane(const Value& value) { return value.rank() > 1; }

bool emit_like(Scope& scope, const Value& value, const std::string& hint, const std::string& text, Shape shape) {
  return scope.emit(hint, text, value.type, std::move(shape), value.range, value.gradient);
}

std::size_t pick_dimension(Scope& scope, const Value& value) { return scope.random().below(value.shape.size()); }

std::string dimension(Scope& scope, const Value& value, std::size_t index) {
  return dimension_text(scope.random(), static_cast<long>(index), value.rank());
}

bool reshape(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  Shape shape = value->shape;
  const std::size_t at = pick_dimension(scope, *value);
  if (value->rank() > 1 && scope.random().chance(50)) {  // two neighbours become one
    const std::size_t first = std::min(at, shape.size() - 2);
    shape[first] *= shape[first + 1];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  } else {  // one is split
    std::vector<long> factors;
    for (long factor = 2; factor < shape[at]; ++factor) {
      if (shape[at] % factor == 0) factors.push_back(factor);
    }
    if (factors.empty()) return false;
    const long factor = scope.random().pick(factors);
    shape[at] /= factor;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, factor);
  }
  Shape written = shape;
  if (scope.random().chance(40)) written[0] = -1;
  return emit_like(scope, *value, "shaped", value->name + ".reshape(" + sizes_text(written) + ")", shape);
}

bool flatten(Scope& scope) {
  const auto value = scope.pick(has_plane);
  if (!value) return false;
  Shape shape = value->shape;
  for (std::size_t at = 2; at < shape.size(); ++at) shape[1] *= shape[at];
  shape.resize(2);
  return emit_like(scope, *value, "flat", value->name + ".flatten(1)", shape);
}

bool transpose(Scope& scope) {
  const auto value = scope.pick(has_plane);
  if (!value) return false;
  Shape shape = value->shape;
  if (value->rank() > 2 && scope.random().chance(40)) {
    std::vector<std::size_t> order(shape.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    scope.random().shuffle(order);
    Shape moved, text;
    for (const std::size_t at : order) {
      moved.push_back(shape[at]);
      text.push_back(static_cast<long>(at));
    }
    return emit_like(scope, *value, "turned", value->name + ".permute(" + sizes_text(text) + ")", moved);
  }
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return emit_like(scope, *value, "turned", value->name + ".transpose(-1, -2)", shape);
}

bool slice(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  Shape shape = value->shape;
  const bool last = value->rank() > 1 && scope.random().chance(50);
  long& size = last ? shape.back() : shape.front();
  const std::string lead = last ? "..., " : "";
  std::string text;
  if (size >= 4 && scope.random().chance(40)) {
    text = lead + "::2";
    size = (size + 1) / 2;
  } else if (size >= 3 && scope.random().chance(50)) {
    text = lead + "1:-1";
    size -= 2;
  } else if (size >= 2) {
    const long from = scope.random().between(1, size - 1);
    text = lead + std::to_string(from) + ":";
    size -= from;
  } else {
    return false;
  }
  return emit_like(scope, *value, "part", value->name + "[" + text + "]", shape);
}

bool select(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::size_t at = pick_dimension(scope, *value);
  Shape shape = value->shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
  const long index = scope.random().between(-1, value->shape[at] - 1);
  return emit_like(scope, *value, "row",
                   value->name + ".select(" + dimension(scope, *value, at) + ", " + std::to_string(index) + ")", shape);
}

bool narrow(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::size_t at = pick_dimension(scope, *value);
  if (value->shape[at] < 2) return false;
  const long length = scope.random().between(1, value->shape[at] - 1);
  const long from = scope.random().between(0, value->shape[at] - length);
  Shape shape = value->shape;
  shape[at] = length;
  return emit_like(scope, *value, "part",
                   value->name + ".narrow(" + dimension(scope, *value, at) + ", " + std::to_string(from) + ", " +
                       std::to_string(length) + ")",
                   shape);
}

bool unfold(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value || value->rank() > 3) return false;
  const std::size_t at = pick_dimension(scope, *value);
  const long size = value->shape[at];
  if (size < 3) return false;
  const long window = scope.random().between(2, std::min(3L, size));
  const long step = scope.random().between(1, 2);
  Shape shape = value->shape;
  shape[at] = (size - window) / step + 1;
  shape.push_back(window);
  return emit_like(scope, *value, "windows",
                   value->name + ".unfold(" + dimension(scope, *value, at) + ", " + std::to_string(window) + ", " +
                       std::to_string(step) + ")",
                   shape);
}

bool rearrange(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::size_t at = pick_dimension(scope, *value);
  const std::string where = dimension(scope, *value, at);
  const std::string shift = std::to_string(scope.random().between(-2, 2));
  const std::string text = scope.random().chance(50) ? ".flip(" + where + ")" : ".roll(" + shift + ", " + where + ")";
  return emit_like(scope, *value, "moved", value->name + text, value->shape);
}

bool expand(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value || value->rank() > 3) return false;
  const long count = scope.random().between(2, 4);
  Shape shape = value->shape;
  shape.insert(shape.begin(), count);
  std::string sizes = std::to_string(count);
  for (std::size_t at = 0; at < value->shape.size(); ++at) sizes += ", -1";
  return emit_like(scope, *value, "wide", value->name + ".unsqueeze(0).expand(" + sizes + ")", shape);
}

bool unsqueeze(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() < 4; });
  if (!value) return false;
  const auto at = scope.random().below(value->shape.size() + 1);
  Shape shape = value->shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
  return emit_like(scope, *value, "raised", value->name + ".unsqueeze(" + std::to_string(at) + ")", shape);
}

bool repeat(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::size_t at = pick_dimension(scope, *value);
  Shape shape = value->shape;
  shape[at] *= 2;
  return emit_like(scope, *value, "doubled",
                   value->name + ".repeat_interleave(2, dim=" + dimension(scope, *value, at) + ")", shape);
}

bool triangle(Scope& scope) {
  const auto value = scope.pick(has_plane);
  if (!value) return false;
  const std::string diagonal = std::to_string(scope.random().between(-1, 1));
  const std::string name = scope.random().pick(std::vector<std::string>{"tril", "triu"});
  return scope.emit("corner", value->name + "." + name + "(" + diagonal + ")", value->type, value->shape,
                    hull(value->range, {0, 0}), value->gradient);
}

bool diagonal(Scope& scope) {
  const auto value = scope.pick(has_plane);
  if (!value) return false;
  Shape shape = value->shape;
  const long length = std::min(shape[shape.size() - 1], shape[shape.size() - 2]);
  shape.resize(shape.size() - 2);
  shape.push_back(length);
  return emit_like(scope, *value, "diagonal", value->name + ".diagonal(0, -2, -1)", shape);
}

bool contiguous(Scope& scope) {
  const auto value = scope.pick(has_plane);
  if (!value) return false;
  const std::string text =
      scope.random().pick(std::vector<std::string>{".contiguous()", ".clone()", ".mT.contiguous().mT"});
  return emit_like(scope, *value, "copy", value->name + text, value->shape);
}

bool join(Scope& scope) {
  const auto one = scope.pick(has_dimensions);
  if (!one) return false;
  const std::size_t at = pick_dimension(scope, *one);
  const auto fits = [&](const Value& v) {
    if (v.rank() != one->rank() || v.type != one->type) return false;
    Shape shape = v.shape;
    shape[at] = one->shape[at];
    return shape == one->shape;
  };
  const auto other = scope.pick(fits);
  if (!other) return false;
  Shape shape = one->shape;
  shape[at] += other->shape[at];
  return scope.emit("joined",
                    "torch.cat([" + one->name + ", " + other->name + "], dim=" + dimension(scope, *one, at) + ")",
                    one->type, shape, hull(one->range, other->range), one->gradient || other->gradient);
}

bool stack(Scope& scope) {
  const auto one = scope.pick([](const Value& v) { return v.rank() < 4; });
  if (!one) return false;
  const auto other = scope.pick([&](const Value& v) { return v.shape == one->shape && v.type == one->type; });
  if (!other) return false;
  const auto at = scope.random().below(one->shape.size() + 1);
  Shape shape = one->shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 2);
  return scope.emit("stacked", "torch.stack([" + one->name + ", " + other->name + "], dim=" + std::to_string(at) + ")",
                    one->type, shape, hull(one->range, other->range), one->gradient || other->gradient);
}

bool split(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::size_t at = pick_dimension(scope, *value);
  const long size = value->shape[at];
  if (size < 2) return false;
  const std::string where = dimension(scope, *value, at);
  Shape head = value->shape;
  if (size % 2 == 0 && scope.random().chance(50)) {
    head[at] = size / 2;
    const std::string half = scope.random().pick(std::vector<std::string>{"[0]", "[1]", "[-1]"});
    return emit_like(scope, *value, "half", value->name + ".chunk(2, dim=" + where + ")" + half, head);
  }
  const long first = scope.random().between(1, size - 1);
  head[at] = first;
  const std::string sizes = "[" + std::to_string(first) + ", " + std::to_string(size - first) + "]";
  return emit_like(scope, *value, "head", value->name + ".split(" + sizes + ", dim=" + where + ")[0]", head);
}

/// A copy is written to at once, so no saved tensor of a backward pass changes under it.
bool write_into_copy(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && is_float(v.type) && v.shape[0] >= 2; });
  if (!value || !emit_like(scope, *value, "work", value->name + ".clone()", value->shape)) return false;
  const std::string name = scope.values().back().name;
  const std::vector<std::string> writes{"{}[0] = 0.5",          "{}[1:] += 0.25",    "{}[::2].mul_(0.5)",
                                        "{}.clamp_(-1.0, 1.0)", "{}[-1].fill_(1.0)", "{}[1:].neg_()",
                                        "{}[..., 0] -= 0.5",    "{}.add_(0.125)"};
  scope.write(fill(scope.random().pick(writes), {name}));
  const Range before = value->range;
  const Range after{std::min(-before.high, before.low) - 1, std::max(-before.low, before.high) + 1};
  return scope.emit("written", name + " * 1.5", value->type, value->shape, {after.low * 1.5, after.high * 1.5},
                    value->gradient);
}

}  // namespace

const std::vector<Rule>& view_rules() {
  static const std::vector<Rule> rules{
      {"reshape", reshape},     {"flatten", flatten},       {"transpose", transpose},
      {"slice", slice},         {"select", select},         {"narrow", narrow},
      {"unfold", unfold},       {"flip", rearrange},        {"expand", expand},
      {"unsqueeze", unsqueeze}, {"repeat", repeat},         {"tril", triangle},
      {"diagonal", diagonal},   {"contiguous", contiguous}, {"cat", join},
      {"stack", stack},         {"split", split},           {"in_place", write_into_copy}};
  return rules;
}

}  // namespace parityd::agent
