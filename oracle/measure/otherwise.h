// Unspecified behaviour: whether eager gives compiled code's result once it is chosen differently. The record of
// eager_otherwise holds the result of each of its runs for a leaf, as `zero[3].output[0]`; the word before the number
// is the name of an Otherwise. Any thread.
#pragma once

#include "oracle/measure/compare.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Sets `otherwise` of the leaves of `measured` (eager against compiled) that differ. Signs (nan, zero): every element
/// that differs equals, within its tolerance, the result of some run; an integer may also lie between the runs'
/// results, since a count may be affected by only some of the signs. Told, kept: one run gave the whole leaf as
/// compiled code does. Stack: a run in which the program saw another stack changed every element that differs.
void find_otherwise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                    const RunRecord& otherwise);

// How far rounding alone moves each element of a leaf (docs/excuses.md). The record of eager_noise holds, for each
// element, the value farthest from eager's among several noisy runs. Any thread.

/// Sets `beyond_noise` of the leaves of `measured` (eager against compiled): the number of elements that differ where
/// noise changes nothing, or by more than twice what noise does. Floating elements only count if they differ by more
/// than their tolerance; for them noise is an explanation only if it makes them leap (a branch, an index). Leaves that
/// cannot be matched in all three records keep -1.
void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise);

}  // namespace parityd::oracle
