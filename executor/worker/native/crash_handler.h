// What a process says last when a fatal signal comes: its native frames, as lines on standard error that the daemon
// reads (executor/process/crash_report.h). The handler then gives way to the one before it, Python's own, and that to
// the default action, so that the process still ends by its signal.
#pragma once

namespace parityd::worker {

/// The exit status of a process that its signal could not end says so, as shells do: this and the signal.
inline constexpr int kEndedBySignal = 128;

/// For SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, on a stack of its own; once a process, forks inherit it. To be
/// called after faulthandler.enable(), whose handler comes next. Throws std::system_error.
void install_crash_handler();

}  // namespace parityd::worker
