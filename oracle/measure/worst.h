// The element on which eager and compiled disagree most, as Python prints it: shown in reports. Any thread.
#pragma once

#include <string>

#include "oracle/measure/compare.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Sets `worst` of each leaf of `measured` (eager against compiled) whose elements differ, except very large leaves.
/// `reference` may be null.
void name_worst(Measurement& measured, const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference);

/// As repr() writes a float: "1.0", "1e-05", "-inf", "nan".
[[nodiscard]] std::string python_float(double value);

}  // namespace parityd::oracle
