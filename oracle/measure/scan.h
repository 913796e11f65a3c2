// The one pass over two or three tensors' elements that takes all numbers at once, strided, without copies. Any thread.
#pragma once

#include <optional>

#include "oracle/measure/closeness.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/totals.h"

namespace parityd::oracle::scan {

/// Where a tensor's elements lie and what happens to a stored value on its way to its logical one. No address: the
/// tensor is not there.
struct Operand {
  const std::byte* first = nullptr;
  Dtype dtype = Dtype::float32;
  bool conjugate = false, negative = false;
  std::optional<Dtype> rounded = std::nullopt;  // real values are cast to this floating type first
};

/// One leaf of eager, compiled and, where there is one, the reference.
struct Triple {
  Operand eager, compiled, reference;
};

/// `leaf` must be without fault (layout.h) and have a storage.
[[nodiscard]] Operand operand_of(const Leaf& leaf, const RunRecord& record);

/// Walks the operands of `triple`; all are of one class (exact types of one dtype, floating or complex), or real
/// numbers of any types, which are then compared as doubles. `scale` multiplies values before they are squared.
/// `closeness` is asked only where eager and compiled have (or are cast to) its dtype. Counts are of distinct elements:
/// times walk.repeats they are of all.
[[nodiscard]] LeafTotals scan(const layout::Walk& walk, const Triple& triple, const Closeness& closeness, double scale);

}  // namespace parityd::oracle::scan
