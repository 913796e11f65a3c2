// Operators that read or write at places: gather, scatter, indexing, tables, histograms.
#include <algorithm>

#include "agent/llm/builtin/scope.h"

namespace parityd::agent {

namespace {

bool is_index_below(const Value& value, long count) {
  return value.type == Type::i64 && value.range.low >= 0 && value.range.high <= static_cast<double>(count - 1);
}

/// A floating value that could be indexed by `index` along its first dimension.
std::optional<Value> table_for(Scope& scope, const Value& index) {
  return scope.pick(
      [&](const Value& v) { return v.rank() > 0 && is_index_below(index, v.shape[0]) && v.name != index.name; });
}

std::optional<Value> pick_index(Scope& scope, long rank) {
  return scope.pick(
      [&](const Value& v) { return v.type == Type::i64 && v.range.low >= 0 && (rank < 0 || v.rank() == rank); });
}

bool index_rows(Scope& scope) {
  const auto index = pick_index(scope, -1);
  if (!index) return false;
  const auto table = table_for(scope, *index);
  if (!table) return false;
  Shape shape = index->shape;
  shape.insert(shape.end(), table->shape.begin() + 1, table->shape.end());
  return scope.emit("picked", table->name + "[" + index->name + "]", table->type, shape, table->range, table->gradient);
}

bool index_select(Scope& scope) {
  const auto index = pick_index(scope, 1);
  if (!index) return false;
  const auto table = table_for(scope, *index);
  if (!table) return false;
  Shape shape = table->shape;
  shape[0] = index->shape[0];
  return scope.emit("picked", "torch.index_select(" + table->name + ", 0, " + index->name + ")", table->type, shape,
                    table->range, table->gradient);
}

bool wrapped_index(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_integer(v.type) && v.rank() > 0; });
  if (!value) return false;
  const long modulus = scope.random().between(2, 5);
  return scope.emit("place", value->name + ".long() % " + std::to_string(modulus), Type::i64, value->shape,
                    {0, static_cast<double>(modulus - 1)}, false);
}

bool gather(Scope& scope) {
  const auto index = scope.pick([](const Value& v) { return v.type == Type::i64 && v.range.low >= 0 && v.rank() > 0; });
  if (!index) return false;
  const auto source = scope.pick([&](const Value& v) {
    if (v.rank() != index->rank() || v.name == index->name || !is_index_below(*index, v.shape.back())) return false;
    return std::equal(v.shape.begin(), v.shape.end() - 1, index->shape.begin(),
                      [](long have, long want) { return want <= have; });
  });
  if (!source) return false;
  return scope.emit("gathered", "torch.gather(" + source->name + ", -1, " + index->name + ")", source->type,
                    index->shape, source->range, source->gradient);
}

bool sorted_gather(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && is_wide_float(v.type); });
  if (!value) return false;
  const std::string order = scope.fresh_name("order");
  scope.write(order + " = " + value->name + ".argsort(dim=-1, stable=True)");
  return scope.emit("gathered", "torch.take_along_dim(" + value->name + ", " + order + ", dim=-1)", value->type,
                    value->shape, value->range, value->gradient);
}

bool scatter(Scope& scope) {
  const auto source = scope.pick([](const Value& v) { return is_wide_float(v.type) && v.rank() > 0; });
  if (!source) return false;
  const auto index =
      scope.pick([&](const Value& v) { return v.shape == source->shape && v.type == Type::i64 && v.range.low >= 0; });
  if (!index) return false;
  const long width = static_cast<long>(index->range.high) + 1 + scope.random().between(0, 2);
  Shape shape = source->shape;
  shape.back() = width;
  const auto count = static_cast<double>(source->shape.back());
  const Range range{std::min(0.0, source->range.low) * count, std::max(0.0, source->range.high) * count};
  const std::string target = source->name + ".new_zeros(" + sizes_text(shape) + ")";
  const std::string tail = index->name + ", " + source->name;
  if (scope.random().chance(50)) {
    return scope.emit("scattered", target + ".scatter_add(-1, " + tail + ")", source->type, shape, range,
                      source->gradient);
  }
  const std::string mode = scope.random().pick(std::vector<std::string>{"amax", "amin", "mean", "sum"});
  return scope.emit("scattered", target + ".scatter_reduce(-1, " + tail + ", \"" + mode + "\")", source->type, shape,
                    range, source->gradient);
}

bool index_add(Scope& scope) {
  const auto index = pick_index(scope, 1);
  if (!index) return false;
  const auto source = scope.pick([&](const Value& v) {
    return is_wide_float(v.type) && v.rank() > 0 && v.shape[0] == index->shape[0] && v.rank() < 4;
  });
  if (!source) return false;
  Shape shape = source->shape;
  shape[0] = static_cast<long>(index->range.high) + 2;
  const auto count = static_cast<double>(index->shape[0]);
  const Range range{std::min(0.0, source->range.low) * count, std::max(0.0, source->range.high) * count};
  return scope.emit(
      "added",
      source->name + ".new_zeros(" + sizes_text(shape) + ").index_add(0, " + index->name + ", " + source->name + ")",
      source->type, shape, range, source->gradient);
}

bool one_hot(Scope& scope) {
  const auto index = scope.pick(
      [](const Value& v) { return v.type == Type::i64 && v.range.low >= 0 && v.range.high < 12 && v.rank() < 4; });
  if (!index) return false;
  const long classes = static_cast<long>(index->range.high) + 1;
  Shape shape = index->shape;
  shape.push_back(classes);
  return scope.emit("marked", "F.one_hot(" + index->name + ", " + std::to_string(classes) + ")", Type::i64, shape,
                    {0, 1}, false);
}

bool embedding(Scope& scope) {
  const auto index = scope.pick(
      [](const Value& v) { return v.type == Type::i64 && v.range.low >= 0 && v.range.high < 40 && v.rank() < 4; });
  if (!index) return false;
  const long rows = static_cast<long>(index->range.high) + 1;
  const long width = scope.random().between(3, 6);
  const std::string layer =
      scope.module("table", "nn.Embedding(" + std::to_string(rows) + ", " + std::to_string(width) + ")");
  Shape shape = index->shape;
  shape.push_back(width);
  return scope.emit("embedded", layer + "(" + index->name + ")", Type::f32, shape, {-6, 6}, true);
}

bool bucketize(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return is_wide_float(v.type); });
  if (!value) return false;
  const std::string borders =
      "torch.linspace(-1, 1, 5, dtype=" + value->name + ".dtype, device=" + value->name + ".device)";
  return scope.emit("bucket", "torch.bucketize(" + value->name + ", " + borders + ")", Type::i64, value->shape, {0, 5},
                    false);
}

bool positions(Scope& scope) {
  const auto value = scope.pick([](const Value& v) { return v.rank() > 0 && v.rank() < 4; });
  if (!value) return false;
  const long length = value->shape.back();
  return scope.emit("places", "torch.arange(" + value->name + ".shape[-1], device=" + value->name + ".device)",
                    Type::i64, {length}, {0, static_cast<double>(length - 1)}, false);
}

}  // namespace

const std::vector<Rule>& index_rules() {
  static const std::vector<Rule> rules{{"index", index_rows},
                                       {"index_select", index_select},
                                       {"remainder", wrapped_index},
                                       {"gather", gather},
                                       {"take_along_dim", sorted_gather},
                                       {"scatter", scatter},
                                       {"index_add", index_add},
                                       {"one_hot", one_hot},
                                       {"embedding", embedding},
                                       {"bucketize", bucketize},
                                       {"arange", positions}};
  return rules;
}

}  // namespace parityd::agent
