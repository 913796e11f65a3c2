// Reports about a program's run that concern the machine or parityd itself. One thread (the loop's), inside its
// transaction.
#pragma once

#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// A harness failure is not the program's fault, unless the program ended every worker it met: then it is not run
/// again, and what is known about it is stored.
void tell_harness_failure(Turn& turn, store::Id program, const Examined& examined);

/// Raises alarms about the machine that follow from the program's verdict.
void tell_verdict(Turn& turn, store::Id program, const Examined& examined);

/// If the program found no memory on the device, it is queued to run later, as its row says. False: it is judged as it
/// is.
[[nodiscard]] bool waits_for_device(Workshop& shop, store::ProgramRow& program, const Examined& examined);

}  // namespace parityd::agent
