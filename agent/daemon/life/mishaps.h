// What is told where a program's run says something of the machine or of us. One thread (the loop's), inside its
// transaction.
#pragma once

#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// Not the program's fault, unless it ended every worker it met: then it runs no more, with what is known of it kept.
void tell_harness_failure(Turn& turn, store::Id program, const Examined& examined);

/// Raises what its verdict says of the machine.
void tell_verdict(Turn& turn, store::Id program, const Examined& examined);

/// A program that found no memory on the device waits and runs again later: its row says so. False: it is judged as it
/// is.
[[nodiscard]] bool waits_for_device(Workshop& shop, store::ProgramRow& program, const Examined& examined);

}  // namespace parityd::agent
