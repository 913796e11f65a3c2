// Compares run records leaf by leaf. Pure; any thread. Reads storages strided, without copies.
#pragma once

#include "oracle/measurement.h"
#include "oracle/same.h"

namespace parityd::oracle {

/// Every leaf of `actual` against `expected`. Both records must have run; leaves are matched by path.
/// Python ints and bools count as one exact element, since .item() makes them from tensors; other values are metadata.
/// A gradient that is None or absent equals one of zeros. Floats of different widths are compared, exact types only
/// with their own. A leaf whose layout points outside its storage is reported as missing with a detail that says so
/// (never read).
[[nodiscard]] Measurement compare(const RunRecord& expected, const RunRecord& actual);

struct Measured {
  Measurement compiled;            // against eager
  Measurement eager_reference;     // eager against reference
  Measurement compiled_reference;  // compiled against reference
  SameAnswer same;
};

/// The three pairs and torch's own verdict, from one pass over the three records' bytes (measure.h).
[[nodiscard]] Measured compare(const RunRecord& eager, const RunRecord& compiled, const RunRecord& reference);

}  // namespace parityd::oracle
