// Compares run records leaf by leaf. Pure; any thread. Reads storages strided, without copies.
#pragma once

#include <optional>

#include "oracle/measure/measure.h"
#include "oracle/measure/measurement.h"

namespace parityd::oracle {

/// Every leaf of `actual` against `expected`. Both records must have run; leaves are matched by path.
/// Python ints and bools count as one exact element, since .item() makes them from tensors; other values are metadata.
/// A gradient that is None or absent equals one of zeros. Floats of different widths are compared, exact types only
/// with their own. A leaf whose layout points outside its storage is reported as missing with a detail that says so
/// (never read).
[[nodiscard]] Measurement compare(const RunRecord& expected, const RunRecord& actual);

/// Eager, compiled and, where it ran, the reference: one pass over their bytes (measure.h) serves all their pairs.
struct Trio {
  const RunRecord* eager = nullptr;
  const RunRecord* compiled = nullptr;
  const RunRecord* reference = nullptr;
};

/// The pair of `trio` that is `expected` and `actual`, with the numbers of `leaves` where it has them; nothing where
/// they are no such pair.
[[nodiscard]] std::optional<Measurement> compare(const RunRecord& expected, const RunRecord& actual, const Trio& trio,
                                                 const MeasuredLeaves& leaves);

}  // namespace parityd::oracle
