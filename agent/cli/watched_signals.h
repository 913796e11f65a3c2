// What ends a command that shows something until it is told to stop. One thread.
#pragma once

#include <chrono>
#include <csignal>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"

namespace parityd::agent {

/// Receives the signals that end a watch (SIGINT, SIGTERM, SIGHUP unless ignored, as under nohup) or change its screen
/// from a descriptor, during its lifetime. Ignores SIGPIPE meanwhile.
class WatchedSignals {
 public:
  /// Throws std::system_error.
  WatchedSignals();
  ~WatchedSignals();
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;

  /// Waits, below 0 for as long as it takes; false: one of the signals asks to end. Returns early if the size changes.
  [[nodiscard]] bool wait(std::chrono::milliseconds most) const;
  /// For a loop that waits for more than signals.
  [[nodiscard]] executor::Interest interest() const { return {.descriptor = descriptor_.number(), .read = true}; }

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
  executor::Descriptor descriptor_;
};

}  // namespace parityd::agent
