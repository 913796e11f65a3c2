// Layers and what surrounds them: products of matrices, convolutions, pools, normalisations, padding, resizing,
// attention.
#include <algorithm>
#include <cmath>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

std::string number(long value) { return std::to_string(value); }

/// Parameters of fresh layers are float32.
Accepts single(long least_rank, long most_rank) {
  return [=](const Value& v) {
    return v.type == Type::f32 && v.rank() >= least_rank && v.rank() <= most_rank && v.range.magnitude() < 200;
  };
}

/// What a layer with parameters of the usual size makes of a range; normalised values stay below the root of the count.
Range mixed(const Value& value, long count) {
  const double most = value.range.magnitude() * std::sqrt(static_cast<double>(count)) + 2;
  return {-most, most};
}
Range normalised(long count) {
  const double most = std::sqrt(static_cast<double>(count)) + 1;
  return {-most, most};
}

bool linear(Scope& scope) {
  const auto value = scope.pick(single(1, 4));
  if (!value) return false;
  const long in = value->shape.back();
  const long out = scope.random().between(2, 8);
  const std::string bias = scope.random().chance(25) ? ", bias=False)" : ")";
  const std::string layer = scope.module("proj", "nn.Linear(" + number(in) + ", " + number(out) + bias);
  Shape shape = value->shape;
  shape.back() = out;
  return scope.emit("projected", layer + "(" + value->name + ")", Type::f32, shape, mixed(*value, in), true);
}

bool matmul(Scope& scope) {
  const auto one = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() >= 2 && v.rank() <= 4; });
  if (!one) return false;
  const auto other = scope.pick([&](const Value& v) {
    return v.type == one->type && (v.rank() == one->rank() || v.rank() == 2) &&
           v.shape[v.shape.size() - 1] == one->shape.back() &&
           (v.rank() == 2 || std::equal(v.shape.begin(), v.shape.end() - 2, one->shape.begin()));
  });
  if (!other) return false;
  Shape shape = one->shape;
  shape.back() = other->shape[other->shape.size() - 2];
  const double most = one->range.magnitude() * other->range.magnitude() * static_cast<double>(one->shape.back());
  const std::string text = scope.random().chance(50)
                               ? one->name + " @ " + other->name + ".mT"
                               : "torch.matmul(" + one->name + ", " + other->name + ".transpose(-2, -1))";
  return scope.emit("product", text, one->type, shape, {-most, most}, one->gradient || other->gradient);
}

bool einsum(Scope& scope) {
  const auto one = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() == 2; });
  if (!one) return false;
  const auto other =
      scope.pick([&](const Value& v) { return v.type == one->type && v.rank() == 2 && v.shape[0] == one->shape[0]; });
  if (!other) return false;
  const double most = one->range.magnitude() * other->range.magnitude() * static_cast<double>(one->shape[0]);
  return scope.emit("product", "torch.einsum(\"ki,kj->ij\", " + one->name + ", " + other->name + ")", one->type,
                    {one->shape[1], other->shape[1]}, {-most, most}, one->gradient || other->gradient);
}

bool convolution(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value) return false;
  const bool plane = value->rank() == 4;
  const long channels = value->shape[1];
  const long kernel = scope.random().between(1, 3);
  const long stride = scope.random().between(1, 2);
  const long padding = kernel / 2;
  Shape shape = value->shape;
  shape[1] = scope.random().between(1, 2) * 2;
  for (std::size_t at = 2; at < shape.size(); ++at) {
    shape[at] = (shape[at] + 2 * padding - kernel) / stride + 1;
    if (value->shape[at] + 2 * padding < kernel || shape[at] < 1) return false;
  }
  const std::string kind = plane ? "nn.Conv2d(" : "nn.Conv1d(";
  const std::string layer =
      scope.module("conv", kind + number(channels) + ", " + number(shape[1]) + ", " + number(kernel) +
                               ", stride=" + number(stride) + ", padding=" + number(padding) + ")");
  return scope.emit("features", layer + "(" + value->name + ")", Type::f32, shape,
                    mixed(*value, channels * kernel * kernel), true);
}

bool layer_norm(Scope& scope) {
  const auto value = scope.pick(single(2, 4));
  if (!value || value->shape.back() < 2) return false;
  const long width = value->shape.back();
  const std::string kind = scope.random().chance(75) ? "nn.LayerNorm(" : "nn.RMSNorm(";
  const std::string layer = scope.module("norm", kind + number(width) + ")");
  return scope.emit("normed", layer + "(" + value->name + ")", Type::f32, value->shape, normalised(width), true);
}

bool channel_norm(Scope& scope) {
  const auto value = scope.pick(single(2, 4));
  if (!value || value->shape[0] < 2) return false;
  const long channels = value->shape[1];
  const long rest = elements(value->shape) / channels;
  if (value->rank() > 2 && channels % 2 == 0 && scope.random().chance(40)) {
    const std::string layer = scope.module("norm", "nn.GroupNorm(2, " + number(channels) + ")");
    return scope.emit("normed", layer + "(" + value->name + ")", Type::f32, value->shape, normalised(rest * channels),
                      true);
  }
  const std::string kind = value->rank() == 4 ? "nn.BatchNorm2d(" : "nn.BatchNorm1d(";
  const std::string layer = scope.module("norm", kind + number(channels) + ")");
  const Range wide{-value->range.magnitude() - normalised(rest).high, value->range.magnitude() + normalised(rest).high};
  return scope.emit("normed", layer + "(" + value->name + ")", Type::f32, value->shape, wide, true);
}

bool unit_length(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 1; });
  if (!value) return false;
  return scope.emit("unit", "F.normalize(" + value->name + ", dim=-1)", value->type, value->shape, {-1, 1},
                    value->gradient);
}

bool parameter_scale(Scope& scope) {
  const auto value = scope.pick(single(1, 4));
  if (!value) return false;
  const std::string layer = scope.module("scale", "nn.Parameter(torch.randn(" + number(value->shape.back()) + "))");
  const double most = value->range.magnitude() * 6;
  return scope.emit("weighted", value->name + " * " + layer, Type::f32, value->shape, {-most, most}, true);
}

bool pool(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value) return false;
  const std::string dims = value->rank() == 4 ? "2d(" : "1d(";
  const long window = scope.random().between(2, 3);
  const bool ceil = scope.random().chance(40);
  Shape shape = value->shape;
  for (std::size_t at = 2; at < shape.size(); ++at) {
    if (shape[at] < window) return false;
    const long room = shape[at] - window;
    shape[at] = (ceil ? (room + 1) / 2 : room / 2) + 1;
  }
  const std::string name = scope.random().pick(std::vector<std::string>{"F.max_pool", "F.avg_pool"});
  return scope.emit(
      "pooled", name + dims + value->name + ", " + number(window) + ", stride=2" + (ceil ? ", ceil_mode=True)" : ")"),
      Type::f32, shape, value->range, value->gradient);
}

bool adaptive_pool(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value) return false;
  const long size = scope.random().between(1, 3);
  Shape shape = value->shape;
  for (std::size_t at = 2; at < shape.size(); ++at) shape[at] = size;
  const std::string name = scope.random().chance(60) ? "F.adaptive_avg_pool" : "F.adaptive_max_pool";
  return scope.emit("pooled", name + (value->rank() == 4 ? "2d(" : "1d(") + value->name + ", " + number(size) + ")",
                    Type::f32, shape, value->range, value->gradient);
}

bool pad(Scope& scope) {
  const auto value =
      scope.pick([](const Value& v) { return v.rank() > 0 && v.type != Type::boolean && v.type != Type::u8; });
  if (!value) return false;
  const long left = scope.random().between(-1, 2);
  const long right = scope.random().between(0, 3);
  Shape shape = value->shape;
  shape.back() += left + right;
  if (shape.back() < 1 || value->shape.back() < 2) return false;
  return scope.emit("padded", "F.pad(" + value->name + ", (" + number(left) + ", " + number(right) + "), value=1)",
                    value->type, shape, hull(value->range, {1, 1}), value->gradient);
}

bool mirror_pad(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value || value->shape.back() < 3) return false;
  Shape shape = value->shape;
  shape.back() += 3;
  const bool plane = value->rank() == 4;
  const std::string mode = scope.random().pick(std::vector<std::string>{"reflect", "replicate", "circular"});
  return scope.emit("padded",
                    "F.pad(" + value->name + (plane ? ", (1, 2, 0, 0)" : ", (1, 2)") + ", mode=\"" + mode + "\")",
                    Type::f32, shape, value->range, value->gradient);
}

bool resize(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value) return false;
  Shape shape = value->shape;
  std::string sizes;
  for (std::size_t at = 2; at < shape.size(); ++at) {
    shape[at] = scope.random().between(std::max(1L, shape[at] - 2), shape[at] + 3);
    sizes += (sizes.empty() ? "" : ", ") + number(shape[at]);
  }
  if (value->rank() == 3) sizes += ",";
  const bool plane = value->rank() == 4;
  const std::string mode = scope.random().chance(50) ? "nearest" : plane ? "bilinear" : "linear";
  return scope.emit("resized", "F.interpolate(" + value->name + ", size=(" + sizes + "), mode=\"" + mode + "\")",
                    Type::f32, shape, {-value->range.magnitude() * 1.1, value->range.magnitude() * 1.1},
                    value->gradient);
}

bool attention(Scope& scope) {
  const auto value = scope.pick(single(3, 4));
  if (!value) return false;
  const auto other = scope.pick([&](const Value& v) { return v.shape == value->shape && v.type == Type::f32; });
  if (!other) return false;
  const std::string tail = scope.random().chance(35)   ? ", is_causal=True)"
                           : scope.random().chance(40) ? ", scale=0.5)"
                                                       : ")";
  return scope.emit("attended",
                    "F.scaled_dot_product_attention(" + value->name + ", " + value->name + ", " + other->name + tail,
                    Type::f32, value->shape, other->range, value->gradient || other->gradient);
}

bool dropout(Scope& scope) {
  const auto value = scope.pick(single(1, 4));
  if (!value) return false;
  const std::string layer = scope.module("drop", "nn.Dropout(0.25)");
  return scope.emit("dropped", layer + "(" + value->name + ")", Type::f32, value->shape,
                    {value->range.low * 1.4, value->range.high * 1.4}, value->gradient);
}

bool glu(Scope& scope) {
  const auto value =
      scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0 && v.shape.back() % 2 == 0; });
  if (!value) return false;
  Shape shape = value->shape;
  shape.back() /= 2;
  return scope.emit("gated", "F.glu(" + value->name + ", dim=-1)", value->type, shape, hull(value->range, {0, 0}),
                    value->gradient);
}

bool loss(Scope& scope) {
  const auto one = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0; });
  if (!one) return false;
  const auto other =
      scope.pick([&](const Value& v) { return v.shape == one->shape && v.type == one->type && v.name != one->name; });
  if (!other) return false;
  const std::string name =
      scope.random().pick(std::vector<std::string>{"F.mse_loss", "F.l1_loss", "F.smooth_l1_loss", "F.huber_loss"});
  const double most = std::pow(one->range.magnitude() + other->range.magnitude(), 2);
  return scope.emit("loss", name + "(" + one->name + ", " + other->name + ")", one->type, {}, {0, most},
                    one->gradient || other->gradient);
}

}  // namespace

const std::vector<Rule>& layer_rules() {
  static const std::vector<Rule> rules{{"linear", linear},
                                       {"matmul", matmul},
                                       {"einsum", einsum},
                                       {"conv", convolution},
                                       {"layer_norm", layer_norm},
                                       {"norm", channel_norm},
                                       {"normalize", unit_length},
                                       {"scale", parameter_scale},
                                       {"pool", pool},
                                       {"adaptive_pool", adaptive_pool},
                                       {"pad", pad},
                                       {"mirror_pad", mirror_pad},
                                       {"interpolate", resize},
                                       {"attention", attention},
                                       {"dropout", dropout},
                                       {"glu", glu},
                                       {"loss", loss}};
  return rules;
}

}  // namespace parityd::agent
