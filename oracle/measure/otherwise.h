// What nobody promises: whether eager gives what compiled code gives once it is chosen otherwise. The record of
// eager_otherwise holds, as `zero[3].output[0]`, what each of its runs made of a leaf; the word before the number is
// the name of an Otherwise. Any thread.
#pragma once

#include "oracle/measure/compare.h"
#include "oracle/run_record.h"

namespace parityd::oracle {

/// Sets `otherwise` of the leaves of `measured` (eager against compiled) that differ. Signs: every element that differs
/// is, within its tolerance, what some run made of it; an integer may also lie between what they made of it, since a
/// count takes some signs as they are. Told: one run made the whole leaf what compiled code makes of it. The stack:
/// every element that differs is moved by what the program saw of it.
void find_otherwise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                    const RunRecord& otherwise);

// How far rounding alone carries leaves, element by element (docs/excuses.md). The record of eager_noise holds, for
// each element, the value farthest from eager's of several noisy runs. Any thread.

/// Sets `beyond_noise` of the leaves of `measured` (eager against compiled): how many elements differ from eager's
/// where noise changes nothing, or differ by more than twice what noise does; floating ones count where they differ by
/// more than their tolerance and noise does not make them leap (a branch, an index). Leaves that cannot be matched in
/// all three records keep -1.
void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise);

}  // namespace parityd::oracle
