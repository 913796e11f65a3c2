// The memory layout of tensors of one shape, merged into as few dimensions as possible. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle::layout {

/// More elements than any program's leaf has; a header that claims more would keep the reader busy forever.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

/// Eager, compiled and reference; an absent one has step 0 and no address.
inline constexpr std::size_t kMostOperands = 3;
using Steps = std::array<std::int64_t, kMostOperands>;  // bytes
using Pointers = std::array<const std::byte*, kMostOperands>;

[[nodiscard]] inline std::int64_t element_count(const Leaf& leaf) {
  std::int64_t count = 1;
  for (const std::int64_t size : leaf.shape) {
    if (size <= 0) return 0;
  }
  for (const std::int64_t size : leaf.shape) {
    if (__builtin_mul_overflow(count, size, &count)) return kMostElements + 1;
  }
  return count;
}

/// Why `leaf` must not be read, or empty. Call it before using any field of a leaf: a header can claim anything.
[[nodiscard]] inline std::string fault(const Leaf& leaf, const std::vector<StorageView>& storages) {
  if (leaf.shape.size() != leaf.stride.size()) return "shape and stride have different lengths";
  if (leaf.offset < 0) return "negative offset";
  for (const std::int64_t size : leaf.shape) {
    if (size < 0) return "negative size";
  }
  if (leaf.storage < -1) return "negative storage number";
  if (leaf.storage >= 0 && static_cast<std::size_t>(leaf.storage) >= storages.size()) return "no such storage";
  const std::int64_t count = element_count(leaf);
  if (count == 0 || leaf.storage < 0) return "";
  if (count > kMostElements) return "too many elements";
  std::int64_t last = leaf.offset;
  for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
    if (leaf.stride[i] < 0) return "negative stride";
    std::int64_t span = 0;
    if (__builtin_mul_overflow(leaf.shape[i] - 1, leaf.stride[i], &span)) return "points outside its storage";
    if (__builtin_add_overflow(last, span, &last)) return "points outside its storage";
  }
  const std::size_t held = storages[static_cast<std::size_t>(leaf.storage)].size / element_size(leaf.dtype);
  return static_cast<std::uint64_t>(last) >= held ? "points outside its storage" : "";
}

/// One dimension, walked in all tensors together.
struct Dimension {
  std::int64_t size;
  Steps steps;
};

struct Walk {
  std::vector<Dimension> dimensions;  // outermost first; at least one
  std::int64_t repeats = 1;           // how many elements each one stands for: dimensions expanded in all tensors
};

/// No number depends on the order of elements, so dimensions are sorted by their steps: tensors of the same dense
/// layout, whichever it is, become one dimension. Takes one to three leaves of the same, non-empty shape.
[[nodiscard]] inline Walk walk_together(std::initializer_list<const Leaf*> leaves) {
  const Leaf& first = **leaves.begin();
  Walk walk;
  std::vector<Dimension> all;
  for (std::size_t i = 0; i < first.shape.size(); ++i) {
    Dimension next{first.shape[i], {}};
    if (next.size == 1) continue;
    std::size_t operand = 0;
    for (const Leaf* leaf : leaves)
      next.steps[operand++] = leaf->stride[i] * static_cast<std::int64_t>(element_size(leaf->dtype));
    if (next.steps == Steps{}) {
      walk.repeats *= next.size;
    } else {
      all.push_back(next);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Dimension& a, const Dimension& b) { return a.steps > b.steps; });
  for (const Dimension& next : all) {
    if (!walk.dimensions.empty()) {
      Dimension& outer = walk.dimensions.back();
      bool adjoins = true;
      for (std::size_t i = 0; i < leaves.size(); ++i) adjoins &= outer.steps[i] == next.size * next.steps[i];
      if (adjoins) {
        outer = {outer.size * next.size, next.steps};
        continue;
      }
    }
    walk.dimensions.push_back(next);
  }
  if (walk.dimensions.empty()) {
    walk.dimensions.push_back({1, {}});
    std::size_t operand = 0;
    for (const Leaf* leaf : leaves)
      walk.dimensions.back().steps[operand++] = static_cast<std::int64_t>(element_size(leaf->dtype));
  }
  return walk;
}

/// Calls `inner(pointers, innermost dimension)` for every row.
template <typename Inner>
void for_each_row(const Walk& walk, Pointers at, Inner&& inner) {
  const std::size_t outer = walk.dimensions.size() - 1;
  const Dimension& row = walk.dimensions.back();
  std::vector<std::int64_t> index(outer, 0);
  const auto move = [&at](const Dimension& dimension, std::int64_t times) {
    for (std::size_t i = 0; i < kMostOperands; ++i) at[i] += dimension.steps[i] * times;
  };
  while (true) {
    inner(at, row);
    std::size_t place = outer;
    while (place > 0) {
      const Dimension& dimension = walk.dimensions[place - 1];
      move(dimension, 1);
      if (++index[place - 1] < dimension.size) break;
      move(dimension, -dimension.size);
      index[place - 1] = 0;
      --place;
    }
    if (place == 0) return;
  }
}

}  // namespace parityd::oracle::layout
