// What the steps of a confirmed program have in common. One thread (the loop's).
#pragma once

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// What it runs as: the reduced program where fresh processes have shown that to be the same.
[[nodiscard]] Subject confirmed_subject(const ProgramTask& task, const Recorder::Told& told);

/// A step has ended; the store holds what came of it.
[[nodiscard]] Event further(const Workshop& shop, const ProgramTask& task);

}  // namespace parityd::agent
