// The end of a process that stands for another one.
#pragma once

namespace parityd::launcher {

/// Every signal comes again as by default.
void restore_signals();

/// Ends the way a process with this wait status did, without leaving a core of our own; as shells tell it where signals
/// cannot end us, the first process of a container: then, and after an exit, the status to exit with is returned.
[[nodiscard]] int end_like(int wait_status);

}  // namespace parityd::launcher
