// The last output of a process on a fatal signal: its native frames, as lines on standard error that the daemon reads
// (executor/process/crash_report.h). The handler then passes on to the previous one, Python's own, and that to the
// default action, so that the process still ends by its signal. The handler runs on whichever thread failed.
#pragma once

namespace parityd::worker {

/// If its signal could not end a process, its exit status is this plus the signal, as in shells.
inline constexpr int kEndedBySignal = 128;

/// Installs it for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, on its own stack. Once per process; forks inherit it.
/// To be called after faulthandler.enable(), whose handler comes next. Throws std::system_error.
void install_crash_handler();

}  // namespace parityd::worker
