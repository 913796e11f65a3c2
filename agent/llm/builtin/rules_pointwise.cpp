// Operators of one tensor, element by element, as a table: text, the domain they need, what becomes of the range.
#include <algorithm>
#include <cmath>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

struct Unary {
  const char* hint;
  const char* text;
  Range domain;
  Range (*range)(Range);
};

constexpr double kFar = 1e12;
constexpr Range kAnywhere{-kFar, kFar};

/// For functions that never decrease.
template <double (*function)(double)>
Range rising(Range range) {
  return {function(range.low), function(range.high)};
}
Range unit(Range) { return {-1, 1}; }
Range from_zero(Range range) { return {0, std::max(0.0, range.high)}; }
/// For activations that follow x above zero and stay near zero below.
Range leaning(Range range) { return {std::max(-2.0, std::min(range.low, 0.0)), std::max(range.high, 0.0) + 0.8}; }

double round_up(double x) { return std::ceil(x); }
double round_down(double x) { return std::floor(x); }

const std::vector<Unary>& floating_table() {
  static const std::vector<Unary> table{
      {"wave", "torch.sin({})", kAnywhere, unit},
      {"wave", "torch.cos({})", kAnywhere, unit},
      {"squashed", "torch.tanh({})", kAnywhere, unit},
      {"gate", "torch.sigmoid({})", kAnywhere,
       [](Range) {
         return Range{0, 1};
       }},
      {"bent", "torch.erf({})", kAnywhere, unit},
      {"angle", "torch.atan({})", kAnywhere,
       [](Range) {
         return Range{-1.6, 1.6};
       }},
      {"bent", "torch.asinh({})", kAnywhere,
       [](Range r) {
         return Range{std::asinh(r.low), std::asinh(r.high)};
       }},
      {"grown",
       "torch.exp({})",
       {-kFar, 5},
       [](Range r) {
         return Range{0, std::exp(r.high)};
       }},
      {"grown",
       "torch.expm1({})",
       {-kFar, 5},
       [](Range r) {
         return Range{-1, std::expm1(r.high)};
       }},
      {"grown",
       "torch.cosh({})",
       {-5, 5},
       [](Range) {
         return Range{1, 75};
       }},
      {"logged",
       "torch.log1p({})",
       {-0.5, kFar},
       [](Range r) {
         return Range{-0.7, std::log1p(r.high)};
       }},
      {"logged",
       "torch.log({} + 0.5)",
       {0, kFar},
       [](Range r) {
         return Range{-0.7, std::log(r.high + 0.5)};
       }},
      {"root",
       "torch.sqrt({} + 0.01)",
       {0, kFar},
       [](Range r) {
         return Range{0.1, std::sqrt(r.high + 0.01)};
       }},
      {"inverse",
       "torch.rsqrt({} + 0.25)",
       {0, kFar},
       [](Range) {
         return Range{0, 2};
       }},
      {"inverse",
       "torch.reciprocal({} + 0.5)",
       {0, kFar},
       [](Range) {
         return Range{0, 2};
       }},
      {"fraction", "torch.frac({})", kAnywhere, unit},
      {"floored", "torch.floor({})", kAnywhere, rising<round_down>},
      {"raised", "torch.ceil({})", kAnywhere, rising<round_up>},
      {"rounded", "torch.round({})", kAnywhere,
       [](Range r) {
         return Range{std::floor(r.low), std::ceil(r.high)};
       }},
      {"cut", "torch.trunc({})", kAnywhere, [](Range r) { return r; }},
      {"cleaned", "torch.nan_to_num({}, nan=0.5)", kAnywhere, [](Range r) { return r; }},
  };
  return table;
}

const std::vector<Unary>& activation_table() {
  static const std::vector<Unary> table{
      {"h", "F.gelu({})", kAnywhere, leaning},
      {"h", "F.silu({})", kAnywhere, leaning},
      {"h", "F.mish({})", kAnywhere, leaning},
      {"h", "F.elu({})", kAnywhere, leaning},
      {"h", "F.softplus({})", kAnywhere, leaning},
      {"h", "F.hardswish({})", kAnywhere, leaning},
      {"h", "F.selu({})", kAnywhere,
       [](Range r) {
         return Range{-2, std::max(0.0, r.high) * 1.06};
       }},
      {"h", "F.celu({}, alpha=0.7)", kAnywhere, leaning},
      {"h", "F.leaky_relu({}, 0.1)", kAnywhere,
       [](Range r) {
         return Range{std::min(r.low, 0.0), std::max(r.high, 0.0)};
       }},
      {"h", "F.hardtanh({}, -0.8, 1.2)", kAnywhere,
       [](Range) {
         return Range{-0.8, 1.2};
       }},
      {"h", "F.relu6({})", kAnywhere,
       [](Range) {
         return Range{0, 6};
       }},
      {"h", "F.hardsigmoid({})", kAnywhere,
       [](Range) {
         return Range{0, 1};
       }},
      {"h", "F.softsign({})", kAnywhere, unit},
      {"h", "F.logsigmoid({})", kAnywhere,
       [](Range r) {
         return Range{std::min(0.0, r.low) - 0.7, 0};
       }},
      {"h", "F.tanhshrink({})", kAnywhere,
       [](Range r) {
         return Range{r.low - 1, r.high + 1};
       }},
      {"h", "F.hardshrink({}, 0.4)", kAnywhere,
       [](Range r) {
         return hull(r, {0, 0});
       }},
      {"h", "F.softshrink({}, 0.3)", kAnywhere,
       [](Range r) {
         return hull(r, {0, 0});
       }},
      {"h", "F.threshold({}, 0.1, 2.0)", kAnywhere,
       [](Range r) {
         return Range{0, std::max(2.0, r.high)};
       }},
  };
  return table;
}

/// Also for integers, which they keep.
const std::vector<Unary>& numeric_table() {
  static const std::vector<Unary> table{
      {"size", "{}.abs()", kAnywhere,
       [](Range r) {
         return Range{0, r.magnitude()};
       }},
      {"flipped", "-{}", kAnywhere,
       [](Range r) {
         return Range{-r.high, -r.low};
       }},
      {"squared",
       "torch.square({})",
       {-250, 250},
       [](Range r) {
         return Range{0, r.magnitude() * r.magnitude()};
       }},
      {"direction", "torch.sign({})", kAnywhere, unit},
      {"h", "F.relu({})", kAnywhere, from_zero},
      {"doubled", "{} * 2", kAnywhere,
       [](Range r) {
         return Range{r.low * 2, r.high * 2};
       }},
      {"shifted", "{} + 3", kAnywhere,
       [](Range r) {
         return Range{r.low + 3, r.high + 3};
       }},
      {"rest", "1 - {}", kAnywhere,
       [](Range r) {
         return Range{1 - r.high, 1 - r.low};
       }},
      {"cubed",
       "{} ** 3",
       {-8, 8},
       [](Range r) {
         return Range{std::pow(r.low, 3), std::pow(r.high, 3)};
       }},
      {"bounded", "{}.clamp(-2, 5)", kAnywhere,
       [](Range) {
         return Range{-2, 5};
       }},
      {"bounded", "{}.clamp(min=1)", kAnywhere,
       [](Range r) {
         return Range{1, std::max(1.0, r.high)};
       }},
      {"rest", "{} % 7", kAnywhere,
       [](Range) {
         return Range{0, 7};
       }},
      {"part", "{} // 3", kAnywhere,
       [](Range r) {
         return Range{std::floor(r.low / 3), std::floor(r.high / 3)};
       }},
  };
  return table;
}

bool apply_unary(Scope& scope, const std::vector<Unary>& table, bool (*type_fits)(Type)) {
  const Unary& rule = scope.random().pick(table);
  const auto operand = scope.pick([&](const Value& value) {
    return type_fits(value.type) && value.range.low >= rule.domain.low && value.range.high <= rule.domain.high;
  });
  if (!operand) return false;
  // Floor division has no derivative.
  if (operand->gradient && std::string(rule.text).find("//") != std::string::npos) return false;
  // Bytes have no negative numbers: a literal below zero does not fit them.
  if (operand->type == Type::u8 && std::string(rule.text).find("(-") != std::string::npos) return false;
  return scope.emit(rule.hint, fill(rule.text, {operand->name}), operand->type, operand->shape,
                    rule.range(operand->range), operand->gradient);
}

bool floating(Scope& scope) { return apply_unary(scope, floating_table(), is_float); }
bool activation(Scope& scope) { return apply_unary(scope, activation_table(), is_float); }
bool numeric(Scope& scope) {
  return apply_unary(scope, numeric_table(), [](Type type) { return type != Type::boolean; });
}

bool cast(Scope& scope) {
  const auto operand = scope.pick([](const Value& value) { return value.range.magnitude() < 100; });
  if (!operand) return false;
  const Type type = scope.random().pick(
      std::vector<Type>{Type::f32, Type::f32, Type::f64, Type::bf16, Type::f16, Type::i64, Type::i32, Type::boolean});
  if (type == operand->type) return false;
  const std::string text = scope.random().chance(60) ? "{}.to(torch.{})" : "{}.type(torch.{})";
  return scope.emit(is_float(type) ? "real" : "whole", fill(text, {operand->name, torch_name(type)}), type,
                    operand->shape, operand->range, operand->gradient);
}

bool invert(Scope& scope) {
  const auto operand = scope.pick([](const Value& value) { return !is_float(value.type); });
  if (!operand) return false;
  return scope.emit("inverted", "~" + operand->name, operand->type, operand->shape,
                    {-operand->range.high - 1, -operand->range.low - 1}, false);
}

}  // namespace

const std::vector<Rule>& pointwise_rules() {
  static const std::vector<Rule> rules{
      {"floating", floating}, {"activation", activation}, {"numeric", numeric}, {"cast", cast}, {"invert", invert}};
  return rules;
}

}  // namespace parityd::agent
