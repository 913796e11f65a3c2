// Signal handling. SIGTERM and SIGINT: the first starts a drain of at most ten seconds; the second ends the process
// within a second; the third at once, by the default action. SIGHUP requests a reload. SIGPIPE and SIGXFSZ become
// errors of the failing call. The limits hold even if the loop is stuck, because handlers enforce them.
#pragma once

#include <csignal>
#include <vector>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"

namespace parityd::agent {

/// Active from construction to destruction. The signals it handles are neither ignored nor blocked, whatever the
/// process inherited. Only one may exist per process, created before anything that it protects; called by the loop's
/// thread.
class Signals {
 public:
  /// Throws std::system_error.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Readable when a signal has arrived.
  [[nodiscard]] executor::Interest interest() const { return {.descriptor = wake_.number(), .read = true}; }
  /// Number of stop signals so far.
  [[nodiscard]] int stops() const;
  /// Whether SIGHUP arrived since the last call. Also resets interest().
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
