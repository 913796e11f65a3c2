// SIGINT and SIGTERM as a readable descriptor for the loop; SIGPIPE ignored. Restores the old handling when destroyed.
#pragma once

#include <csignal>

#include "executor/interest.h"

namespace parityd::agent {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] executor::Interest interest() const { return {.descriptor = descriptor_, .read = true}; }
  /// How many stop signals came since the last call.
  [[nodiscard]] int take() const;

 private:
  int descriptor_ = -1;
  sigset_t previous_{};
};

}  // namespace parityd::agent
