// How far rounding alone carries leaves, element by element (docs/excuses.md). The
// record of eager_noise holds, for each element, the value farthest from eager's of several noisy runs. Any thread.
#pragma once

#include "oracle/measure/measurement.h"

namespace parityd::oracle {

/// Sets `beyond_noise` of the leaves of `measured` (eager against compiled): how many elements differ from eager's
/// where noise changes nothing, or differ by more than twice what noise does; floating ones count where they differ by
/// more than their tolerance and noise does not make them leap (a branch, an index). Leaves that cannot be matched in
/// all three records keep -1.
void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise);

}  // namespace parityd::oracle
