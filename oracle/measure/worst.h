// The element on which eager and compiled disagree most, as Python prints it: what a report shows. Any thread.
#pragma once

#include <string>

#include "oracle/measure/compare.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Names the worst element of each leaf of `measured` (eager against compiled) whose elements differ, but for very
/// large ones. `reference` may be null.
void name_worst(Measurement& measured, const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference);

/// As repr() writes a float: "1.0", "1e-05", "-inf", "nan".
[[nodiscard]] std::string python_float(double value);

}  // namespace parityd::oracle
