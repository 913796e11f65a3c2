// How two tensors of one shape lie in memory, brought to as few dimensions as possible. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle::layout {

/// More elements than any program's leaf has; a header that claims more would keep the reader busy for ever.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

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

/// Why `leaf` must not be read, or empty. Nothing of a leaf may be believed before: a header can say anything.
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

/// One dimension walked in both tensors at once; steps in bytes.
struct Dimension {
  std::int64_t size;
  std::int64_t expected_step, actual_step;
};

struct Walk {
  std::vector<Dimension> dimensions;  // outermost first; at least one
  std::int64_t repeats = 1;           // every element stands for so many: dimensions expanded on both sides
};

/// The order of elements does not matter to any number we take, so dimensions are sorted by their step: two tensors of
/// the same dense layout, whatever it is, become one dimension. Both leaves have the same, non-empty shape.
[[nodiscard]] inline Walk walk_together(const Leaf& expected, const Leaf& actual) {
  const auto expected_size = static_cast<std::int64_t>(element_size(expected.dtype));
  const auto actual_size = static_cast<std::int64_t>(element_size(actual.dtype));
  Walk walk;
  std::vector<Dimension> all;
  for (std::size_t i = 0; i < expected.shape.size(); ++i) {
    const Dimension next{expected.shape[i], expected.stride[i] * expected_size, actual.stride[i] * actual_size};
    if (next.size == 1) continue;
    if (next.expected_step == 0 && next.actual_step == 0) {
      walk.repeats *= next.size;
    } else {
      all.push_back(next);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Dimension& a, const Dimension& b) {
    return a.expected_step != b.expected_step ? a.expected_step > b.expected_step : a.actual_step > b.actual_step;
  });
  for (const Dimension& next : all) {
    if (!walk.dimensions.empty()) {
      Dimension& outer = walk.dimensions.back();
      if (outer.expected_step == next.size * next.expected_step && outer.actual_step == next.size * next.actual_step) {
        outer = {outer.size * next.size, next.expected_step, next.actual_step};
        continue;
      }
    }
    walk.dimensions.push_back(next);
  }
  if (walk.dimensions.empty()) walk.dimensions.push_back({1, expected_size, actual_size});
  return walk;
}

/// Calls `inner(expected, actual, innermost dimension)` for every row.
template <typename Inner>
void for_each_row(const Walk& walk, const std::byte* expected, const std::byte* actual, Inner&& inner) {
  const std::size_t outer = walk.dimensions.size() - 1;
  const Dimension& row = walk.dimensions.back();
  std::vector<std::int64_t> index(outer, 0);
  while (true) {
    inner(expected, actual, row);
    std::size_t at = outer;
    while (at > 0) {
      const Dimension& dimension = walk.dimensions[at - 1];
      expected += dimension.expected_step;
      actual += dimension.actual_step;
      if (++index[at - 1] < dimension.size) break;
      expected -= dimension.expected_step * dimension.size;
      actual -= dimension.actual_step * dimension.size;
      index[at - 1] = 0;
      --at;
    }
    if (at == 0) return;
  }
}

}  // namespace parityd::oracle::layout
