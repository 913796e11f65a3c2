// Compares two run records leaf by leaf. Pure; any thread. Reads storages strided, without copies.
#pragma once

#include "oracle/measurement.h"

namespace parityd::oracle {

/// Every leaf of `actual` against `expected`. Both records must have run; leaves are matched by path.
/// Python ints and bools count as one exact element, since .item() makes them from tensors; other values are metadata.
/// A gradient that is None or absent equals one of zeros. Floats of different widths are compared, exact types only
/// with their own. A leaf whose layout points outside its storage is reported as missing with a detail that says so
/// (never read).
[[nodiscard]] Measurement compare(const RunRecord& expected, const RunRecord& actual);

}  // namespace parityd::oracle
