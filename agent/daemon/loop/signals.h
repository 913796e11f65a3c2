// What signals ask of the daemon. SIGTERM and SIGINT: the first one drains, for ten seconds at most; the second ends
// within a second; the third at once, by its default action. SIGHUP asks for a reload. SIGPIPE and SIGXFSZ are errors
// of the call that met them. The limits hold also while the loop is stuck, because they are kept in handlers.
#pragma once

#include <csignal>
#include <vector>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"

namespace parityd::agent {

/// From its making to its end, whatever the process inherited: what it handles is neither ignored nor blocked. One at a
/// time in a process, made before anything that it shall guard; the loop's thread asks it.
class Signals {
 public:
  /// Throws std::system_error.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Readable when a signal came.
  [[nodiscard]] executor::Interest interest() const { return {.descriptor = wake_.number(), .read = true}; }
  /// How many signals have asked to end.
  [[nodiscard]] int stops() const;
  /// Whether SIGHUP came since the last call. Also empties what interest() waits for.
  [[nodiscard]] bool take_hangup() const;

 private:
  struct Before {
    int signal = 0;
    struct sigaction action {};
  };
  void handle(int signal, void (*handler)(int));

  executor::Descriptor wake_;
  std::vector<Before> before_;
  sigset_t mask_before_{};
};

}  // namespace parityd::agent
