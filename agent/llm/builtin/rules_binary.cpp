// Operators of two or more tensors, element by element: arithmetic with broadcasting and promotion, comparisons,
// choices.
#include <algorithm>
#include <cmath>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

struct Binary {
  const char* hint;
  const char* text;
  Range (*range)(Range, Range);
  bool floats_only;
};

Range product(Range a, Range b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

const std::vector<Binary>& table() {
  static const std::vector<Binary> rules{
      {"total", "{} + {}",
       [](Range a, Range b) {
         return Range{a.low + b.low, a.high + b.high};
       },
       false},
      {"gap", "{} - {}",
       [](Range a, Range b) {
         return Range{a.low - b.high, a.high - b.low};
       },
       false},
      {"scaled", "{} * {}", product, false},
      {"ratio", "{} / ({}.abs() + 0.5)",
       [](Range a, Range) {
         return Range{-2 * a.magnitude(), 2 * a.magnitude()};
       },
       true},
      {"upper", "torch.maximum({}, {})",
       [](Range a, Range b) {
         return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
       },
       false},
      {"lower", "torch.minimum({}, {})",
       [](Range a, Range b) {
         return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
       },
       false},
      {"blend", "torch.add({}, {}, alpha=2)",
       [](Range a, Range b) {
         return Range{a.low + 2 * b.low, a.high + 2 * b.high};
       },
       false},
      {"turn", "torch.atan2({}, {})",
       [](Range, Range) {
         return Range{-3.2, 3.2};
       },
       true},
      {"length", "torch.hypot({}, {})",
       [](Range a, Range b) {
         return Range{0, a.magnitude() + b.magnitude()};
       },
       true},
      {"outer", "torch.fmax({}, {})", [](Range a, Range b) { return hull(a, b); }, true},
      {"softest", "torch.logaddexp({}, {})",
       [](Range a, Range b) {
         return Range{std::max(a.low, b.low), std::max(a.high, b.high) + 0.7};
       },
       true},
      {"signed_size", "torch.copysign({}, {})",
       [](Range a, Range) {
         return Range{-a.magnitude(), a.magnitude()};
       },
       true},
  };
  return rules;
}

/// Two values whose shapes broadcast, both accepted.
std::optional<std::pair<Value, Value>> pick_pair(Scope& scope, const Accepts& accepts) {
  const auto first = scope.pick(accepts);
  if (!first) return std::nullopt;
  const auto second = scope.pick([&](const Value& value) {
    const bool other = value.name != first->name || scope.random().chance(10);
    return other && accepts(value) && broadcast(first->shape, value.shape).has_value();
  });
  if (!second) return std::nullopt;
  return std::pair{*first, *second};
}

/// Promotion counts tensors without dimensions less; such pairs must agree already.
bool promotes_plainly(const Value& one, const Value& other) {
  return one.type == other.type || (one.rank() > 0 && other.rank() > 0);
}

bool arithmetic(Scope& scope) {
  const Binary& rule = scope.random().pick(table());
  const auto pair = pick_pair(scope, [&](const Value& value) {
    return rule.floats_only ? is_wide_float(value.type) : value.type != Type::boolean;
  });
  if (!pair || !promotes_plainly(pair->first, pair->second)) return false;
  const auto& [a, b] = *pair;
  const bool named = std::string(rule.text).find("torch.") == 0;
  // Named two-operand functions with derivatives insist on one type in some releases.
  if (named && a.type != b.type) return false;
  return scope.emit(rule.hint, fill(rule.text, {a.name, b.name}), promote(a.type, b.type), *broadcast(a.shape, b.shape),
                    rule.range(a.range, b.range), a.gradient || b.gradient);
}

bool compare(Scope& scope) {
  const auto pair = pick_pair(scope, [](const Value& value) { return value.type != Type::boolean; });
  if (!pair) return false;
  const auto& [a, b] = *pair;
  const std::string sign = scope.random().pick(std::vector<std::string>{">", "<", ">=", "<=", "!="});
  return scope.emit("mask", a.name + " " + sign + " " + b.name, Type::boolean, *broadcast(a.shape, b.shape), {0, 1},
                    false);
}

bool threshold(Scope& scope) {
  const auto a = scope.pick([](const Value& value) { return value.type != Type::boolean; });
  if (!a) return false;
  const std::string bound = is_float(a->type) ? "0.25" : "1";
  return scope.emit("mask", a->name + " > " + bound, Type::boolean, a->shape, {0, 1}, false);
}

bool logic(Scope& scope) {
  const auto pair = pick_pair(scope, [](const Value& value) { return value.type == Type::boolean; });
  if (!pair) return false;
  const auto& [a, b] = *pair;
  const std::string text = scope.random().pick(std::vector<std::string>{
      "{} & {}", "{} | {}", "{} ^ {}", "torch.logical_and({}, {})", "torch.logical_xor({}, {})"});
  return scope.emit("mask", fill(text, {a.name, b.name}), Type::boolean, *broadcast(a.shape, b.shape), {0, 1}, false);
}

bool choose(Scope& scope) {
  const auto mask = scope.pick([](const Value& value) { return value.type == Type::boolean; });
  if (!mask) return false;
  const auto a = scope.pick(
      [&](const Value& value) { return value.type != Type::boolean && broadcast(mask->shape, value.shape); });
  if (!a) return false;
  const Shape shape = *broadcast(mask->shape, a->shape);
  const auto b = scope.pick([&](const Value& value) { return value.type == a->type && broadcast(shape, value.shape); });
  if (!b) return false;
  return scope.emit("chosen", "torch.where(" + mask->name + ", " + a->name + ", " + b->name + ")", a->type,
                    *broadcast(shape, b->shape), hull(a->range, b->range), a->gradient || b->gradient);
}

bool fill_masked(Scope& scope) {
  const auto a = scope.pick([](const Value& value) { return value.type != Type::boolean && value.type != Type::u8; });
  if (!a) return false;
  const auto mask = scope.pick([&](const Value& value) {
    const auto shape = broadcast(a->shape, value.shape);
    return value.type == Type::boolean && shape && *shape == a->shape;
  });
  if (!mask) return false;
  return scope.emit("kept", a->name + ".masked_fill(" + mask->name + ", -1)", a->type, a->shape,
                    hull(a->range, {-1, -1}), a->gradient);
}

bool lerp(Scope& scope) {
  const auto pair = pick_pair(scope, [](const Value& value) { return is_wide_float(value.type); });
  if (!pair || pair->first.type != pair->second.type) return false;
  const auto& [a, b] = *pair;
  return scope.emit("between", "torch.lerp(" + a.name + ", " + b.name + ", 0.3)", a.type, *broadcast(a.shape, b.shape),
                    hull(a.range, b.range), a.gradient || b.gradient);
}

bool multiply_add(Scope& scope) {
  const auto pair = pick_pair(scope, [](const Value& value) { return is_wide_float(value.type) && value.rank() > 0; });
  if (!pair || pair->first.type != pair->second.type) return false;
  const auto& [a, b] = *pair;
  const Range scaled = product(a.range, b.range);
  return scope.emit("fused", "torch.addcmul(" + a.name + ", " + a.name + ", " + b.name + ", value=0.5)", a.type,
                    *broadcast(a.shape, b.shape),
                    {a.range.low + scaled.low / 2 - 1, a.range.high + scaled.high / 2 + 1}, a.gradient || b.gradient);
}

}  // namespace

const std::vector<Rule>& binary_rules() {
  static const std::vector<Rule> rules{
      {"arithmetic", arithmetic}, {"arithmetic", arithmetic},   {"arithmetic", arithmetic},
      {"compare", compare},       {"threshold", threshold},     {"logic", logic},
      {"where", choose},          {"masked_fill", fill_masked}, {"lerp", lerp},
      {"addcmul", multiply_add}};
  return rules;
}

}  // namespace parityd::agent
