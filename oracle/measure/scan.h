// The single pass over the elements of two or three tensors that computes all numbers, strided, without copies. Any
// thread.
#pragma once

#include <optional>

#include "oracle/measure/closeness.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/totals.h"

namespace parityd::oracle::scan {

/// Where a tensor's elements are, and how a stored value becomes the logical one. Without an address the tensor is
/// absent.
struct Operand {
  const std::byte* first = nullptr;
  Dtype dtype = Dtype::float32;
  bool conjugate = false, negative = false;
  std::optional<Dtype> rounded = std::nullopt;  // real values are cast to this floating type first
};

/// One leaf of eager, compiled and, if there is one, the reference.
struct Triple {
  Operand eager, compiled, reference;
};

/// `leaf` must be without fault (layout.h) and have a storage.
[[nodiscard]] Operand operand_of(const Leaf& leaf, const RunRecord& record);

/// Walks the operands of `triple`. All must be of one class (exact types of one dtype, floating, or complex), or real
/// numbers of any types, which are then compared as doubles. `scale` multiplies values before they are squared.
/// `closeness` is only used if eager and compiled have (or are cast to) its dtype. Counts are of distinct elements:
/// multiply them by walk.repeats for all.
[[nodiscard]] LeafTotals scan(const layout::Walk& walk, const Triple& triple, const Closeness& closeness, double scale);

}  // namespace parityd::oracle::scan
