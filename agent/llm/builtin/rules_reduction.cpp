// Reductions, scans, sorting: operators along one dimension or over all.
#include <algorithm>
#include <cmath>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

bool has_dimensions(const Value& value) { return value.rank() > 0; }

/// A dimension of the value, as number and as text.
struct Axis {
  std::size_t index = 0;
  long size = 1;
  std::string text;
};

Axis pick_axis(Scope& scope, const Value& value) {
  Axis axis;
  axis.index = scope.random().below(value.shape.size());
  axis.size = value.shape[axis.index];
  axis.text = dimension_text(scope.random(), static_cast<long>(axis.index), value.rank());
  return axis;
}

Shape without(const Shape& shape, std::size_t index, bool keep) {
  Shape result = shape;
  if (keep) {
    result[index] = 1;
  } else {
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return result;
}

Range times(Range range, long count) {
  const auto factor = static_cast<double>(count);
  return {std::min(range.low * factor, range.low), std::max(range.high * factor, range.high)};
}

bool sum(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const Type type = is_float(value->type) ? value->type : Type::i64;
  if (scope.random().chance(25)) {
    return scope.emit("total", value->name + ".sum()", type, {}, times(value->range, elements(value->shape)),
                      value->gradient);
  }
  const Axis axis = pick_axis(scope, *value);
  const bool keep = scope.random().chance(35);
  return scope.emit("total", value->name + ".sum(dim=" + axis.text + (keep ? ", keepdim=True)" : ")"), type,
                    without(value->shape, axis.index, keep), times(value->range, axis.size), value->gradient);
}

bool mean_like(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const bool keep = scope.random().chance(50);
  const std::string name =
      scope.random().pick(std::vector<std::string>{"mean", "mean", "mean", "std", "var", "logsumexp"});
  const double spread = value->range.high - value->range.low;
  Range range = value->range;
  bool gradient = value->gradient;
  if (name == "std" || name == "var") {
    if (axis.size < 2) return false;
    range = {0, name == "std" ? spread : spread * spread};
    gradient = gradient && name == "var";  // std of equal elements has no slope
  } else if (name == "logsumexp") {
    range.high += std::log(static_cast<double>(axis.size));
  }
  return scope.emit(name == "mean"        ? "average"
                    : name == "logsumexp" ? "soft_peak"
                                          : "spread",
                    value->name + "." + name + "(dim=" + axis.text + (keep ? ", keepdim=True)" : ")"), value->type,
                    without(value->shape, axis.index, keep), range, gradient);
}

bool extreme(Scope& scope) {
  const auto value = scope.pick(has_dimensions);
  if (!value) return false;
  const std::string name = scope.random().pick(std::vector<std::string>{"amax", "amin"});
  if (scope.random().chance(25)) {
    const std::string text = name == "amax" ? ".max()" : ".min()";
    return scope.emit("peak", value->name + text, value->type, {}, value->range, value->gradient);
  }
  const Axis axis = pick_axis(scope, *value);
  return scope.emit("peak", value->name + "." + name + "(dim=" + axis.text + ")", value->type,
                    without(value->shape, axis.index, false), value->range, value->gradient);
}

bool place_of_extreme(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && v.type != Type::boolean; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const std::string name = scope.random().pick(std::vector<std::string>{"argmax", "argmin"});
  return scope.emit("place", value->name + "." + name + "(dim=" + axis.text + ")", Type::i64,
                    without(value->shape, axis.index, false), {0, static_cast<double>(axis.size - 1)}, false);
}

bool all_any(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.type == Type::boolean && v.rank() > 0; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const std::string name = scope.random().pick(std::vector<std::string>{"any", "all"});
  return scope.emit("agreed", value->name + "." + name + "(dim=" + axis.text + ")", Type::boolean,
                    without(value->shape, axis.index, false), {0, 1}, false);
}

bool product(Scope& scope) {
  const auto value =
      scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0 && v.range.magnitude() <= 2; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const double most = std::pow(std::max(1.0, value->range.magnitude()), static_cast<double>(axis.size));
  return scope.emit("product", value->name + ".prod(dim=" + axis.text + ")", value->type,
                    without(value->shape, axis.index, false), {-most, most}, value->gradient);
}

bool norm(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const std::string order = scope.random().pick(std::vector<std::string>{"", "ord=1, ", "ord=float(\"inf\"), "});
  return scope.emit("length", "torch.linalg.vector_norm(" + value->name + ", " + order + "dim=" + axis.text + ")",
                    value->type, without(value->shape, axis.index, false),
                    {0, value->range.magnitude() * static_cast<double>(axis.size)}, value->gradient);
}

bool soft_max(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_float(v.type) && v.rank() > 0; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const bool logarithm = scope.random().chance(30);
  const double span = value->range.high - value->range.low + std::log(static_cast<double>(axis.size));
  return scope.emit(
      "weights",
      std::string(logarithm ? "F.log_softmax(" : "torch.softmax(") + value->name + ", dim=" + axis.text + ")",
      value->type, value->shape, logarithm ? Range{-span, 0} : Range{0, 1}, value->gradient);
}

bool running(Scope& scope) {
  const auto value =
      scope.pick([](const Value& v) { return v.rank() > 0 && v.type != Type::f16 && v.type != Type::bf16; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const std::string name = scope.random().pick(std::vector<std::string>{"cumsum", "cumsum", "cummax", "logcumsumexp"});
  const Type type = is_float(value->type) ? value->type : Type::i64;
  if (name == "cumsum") {
    return scope.emit("running", value->name + ".cumsum(dim=" + axis.text + ")", type, value->shape,
                      times(value->range, axis.size), value->gradient);
  }
  if (name == "cummax") {
    return scope.emit("record", value->name + ".cummax(dim=" + axis.text + ").values", value->type, value->shape,
                      value->range, value->gradient);
  }
  if (!is_wide_float(value->type)) return false;
  const Range range{value->range.low, value->range.high + std::log(static_cast<double>(axis.size))};
  return scope.emit("running", "torch.logcumsumexp(" + value->name + ", dim=" + axis.text + ")", value->type,
                    value->shape, range, value->gradient);
}

bool ordered(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && is_wide_float(v.type); });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const bool descending = scope.random().chance(40);
  const std::string tail = "dim=" + axis.text + (descending ? ", descending=True)" : ")");
  if (scope.random().chance(25)) {
    return scope.emit("order", value->name + ".argsort(" + tail, Type::i64, value->shape,
                      {0, static_cast<double>(axis.size - 1)}, false);
  }
  return scope.emit("ordered", value->name + ".sort(" + tail + ".values", value->type, value->shape, value->range,
                    value->gradient);
}

bool largest(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && is_wide_float(v.type); });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  const long count = scope.random().between(1, axis.size);
  Shape shape = value->shape;
  shape[axis.index] = count;
  return scope.emit("best", value->name + ".topk(" + std::to_string(count) + ", dim=" + axis.text + ").values",
                    value->type, shape, value->range, value->gradient);
}

bool difference(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && v.type != Type::boolean; });
  if (!value) return false;
  const Axis axis = pick_axis(scope, *value);
  if (axis.size < 2) return false;
  Shape shape = value->shape;
  --shape[axis.index];
  const double span = value->range.high - value->range.low;
  return scope.emit("steps", "torch.diff(" + value->name + ", dim=" + axis.text + ")", value->type, shape,
                    {-span, span}, value->gradient);
}

}  // namespace

const std::vector<Rule>& reduction_rules() {
  static const std::vector<Rule> rules{
      {"sum", sum},        {"mean", mean_like}, {"amax", extreme}, {"argmax", place_of_extreme},
      {"any", all_any},    {"prod", product},   {"norm", norm},    {"softmax", soft_max},
      {"cumsum", running}, {"sort", ordered},   {"topk", largest}, {"diff", difference}};
  return rules;
}

}  // namespace parityd::agent
