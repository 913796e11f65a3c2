// How far rounding alone carries exact leaves, element by element (docs/excuses.md: noise excuses integers only). The
// record of eager_noise holds, for each element, the value farthest from eager's of several noisy runs. Any thread.
#pragma once

#include "oracle/measurement.h"

namespace parityd::oracle {

/// Sets `beyond_noise` of the integer and bool leaves of `measured` (eager against compiled): how many elements differ
/// from eager's where noise changes nothing, or differ by more than twice what noise does. Leaves that cannot be
/// matched in all three records keep -1.
void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise);

}  // namespace parityd::oracle
