// What nobody promises: whether eager gives what
// compiled code gives once it is chosen otherwise. The record of eager_otherwise holds, as `zero[3].output[0]`, what
// each of its runs made of a leaf; the word before the number is the name of an Otherwise. Any thread.
#pragma once

#include "oracle/measure/measurement.h"

namespace parityd::oracle {

/// Sets `otherwise` of the leaves of `measured` (eager against compiled) that differ. Signs: every element that differs
/// is, within its tolerance, what some run made of it; an integer may also lie between what they made of it, since a
/// count takes some signs as they are. Told: one run made the whole leaf what compiled code makes of it. The stack:
/// every element that differs is moved by what the program saw of it.
void find_otherwise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                    const RunRecord& otherwise);

}  // namespace parityd::oracle
