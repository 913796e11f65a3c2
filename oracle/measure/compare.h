// Compares run records leaf by leaf: a measurement holds facts, no judgement. Pure; any thread. Reads storages strided,
// without copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/measure/measure.h"
#include "oracle/names.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Where eager and compiled are farthest apart; values as Python prints them.
struct WorstElement {
  std::vector<std::int64_t> index;
  std::string eager, compiled;
  std::string reference;  // empty: no double run, or its leaf has another shape
};

/// Unspecified behaviour that alone turns eager's result into compiled code's if it is chosen differently: the answer
/// to "am I compiled?" (told), whether a checkpoint keeps what it computed (kept), what the stack looks like, the sign
/// of NaNs, of zeros.
enum class Otherwise { nothing, told, kept, stack, nan, zero };
constexpr auto names(Otherwise) {
  return std::to_array<std::string_view>({"nothing", "told", "kept", "stack", "nan", "zero"});
}

/// `actual` against `expected`, one leaf. All counts are of elements; a complex element counts as its two components.
struct LeafMeasurement {
  std::string path;
  LeafGroup group = LeafGroup::output;
  Dtype dtype = Dtype::float32;  // of expected
  std::int64_t elements = 0;
  // Exact facts; a leaf that only one side has sets missing = true and nothing else.
  bool missing = false;
  std::string unopened;       // its type, if one side could not be looked into and nothing else differs
  bool type_differs = false;  // Python type, or value of a non-tensor
  bool dtype_differs = false;
  bool shape_differs = false;
  bool stride_differs = false;  // only if numel > 0, over dimensions larger than 1
  bool stride_padded = false;   // then: the dimensions have the same order, and some are farther apart
  bool requires_grad_differs = false;
  bool alias_differs = false;   // shares memory with other leaves (inputs included) than expected does: shared_memory.h
  bool returned_input = false;  // then: only an output in memory of an input, parameter or buffer, on this side
  // Values; all zero if shapes or dtypes cannot be compared.
  std::int64_t unequal = 0;       // not bitwise-value equal (NaN equals NaN; -0 equals 0)
  std::int64_t nan_differs = 0;   // NaN on one side only
  std::int64_t inf_differs = 0;   // Inf of either sign on one side only, or of the other sign
  std::int64_t sign_differs = 0;  // sign bits differ, zeros included
  std::int64_t nan_bits = 0;      // integers that differ only as the sign bit of a NaN does, seen through view(dtype)
  double max_absolute = 0;        // over elements finite on both sides
  double max_relative = 0;        // |a-b| / max(|a|, |b|)
  double max_scaled = 0;          // |a-b| / (atol + rtol * max(|a|, |b|)): per element, since rms hides small values
  double rms_difference = 0;      // over elements finite on both sides
  double rms_expected = 0;
  std::int64_t beyond_noise =
      -1;  // against eager: how many differ farther than eager_noise moves them (otherwise.h); -1 unknown
  // With assert_close's defaults for dtype: max_absolute > atol + rtol * rms_expected and, in addition, one element is
  // beyond its own allowance (max_scaled > 1), so that nothing counts which assert_close takes for equal.
  bool exceeds_tolerance = false;
  /// Eager against compiled: what eager_otherwise changed to obtain compiled code's result (otherwise.h).
  Otherwise otherwise = Otherwise::nothing;
  std::string detail;  // one readable phrase for what differs: "shape [2, 3] vs [3, 2]"; empty if nothing does

  std::optional<WorstElement> worst;  // of a confirmation round, eager against compiled: set if elements differ

  [[nodiscard]] bool metadata_differs() const {
    return missing || type_differs || dtype_differs || shape_differs || stride_differs || requires_grad_differs ||
           alias_differs;
  }
  /// An int or bool differs at all, NaN or Inf are in other places, or the tolerance is exceeded.
  [[nodiscard]] bool values_differ() const;
};

struct Measurement {
  Mode expected = Mode::eager;
  Mode actual = Mode::inductor;
  std::vector<LeafMeasurement> leaves;  // leaf order of expected, then leaves only actual has
  /// Null if no leaf has that path.
  [[nodiscard]] const LeafMeasurement* find(const std::string& path) const;
};

/// Every leaf of `actual` against `expected`. Both records must have run; leaves are matched by path. Python ints and
/// bools count as one exact element, since .item() makes them from tensors; other values are metadata. A gradient that
/// is None or absent equals one of zeros. Floats of different widths are compared, exact types only with their own. A
/// leaf whose layout points outside its storage is never read: it is reported as missing, with a detail that says so.
[[nodiscard]] Measurement compare(const RunRecord& expected, const RunRecord& actual);

/// Eager, compiled and, if it ran, the reference: one pass over their bytes (measure.h) serves all their pairs.
struct Trio {
  const RunRecord* eager = nullptr;
  const RunRecord* compiled = nullptr;
  const RunRecord* reference = nullptr;
};

/// As above, for `expected` and `actual` that are two of `trio`; uses the numbers in `leaves` that exist. nullopt if
/// they are not a pair of `trio`.
[[nodiscard]] std::optional<Measurement> compare(const RunRecord& expected, const RunRecord& actual, const Trio& trio,
                                                 const MeasuredLeaves& leaves);

}  // namespace parityd::oracle
