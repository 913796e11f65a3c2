// Watches over one sandboxed program until it ends or has to. For the launcher's only thread.
#pragma once

#include "executor/launcher/output_relay.h"
#include "executor/launcher/pipe.h"
#include "executor/launcher/sandbox.h"

namespace parityd::launcher {

/// The channel's descriptors as the launcher keeps them: watched for a hang-up, never read or written.
struct Channel {
  Descriptor input, output;
};

class Supervisor {
 public:
  /// `signals` delivers SIGCHLD and the signals that ask the launcher to end.
  Supervisor(Sandboxed sandboxed, Channel channel, Descriptor captured, Descriptor signals);

  /// Returns when nothing of the tree is left: the program's wait status, as waitpid reports it.
  [[nodiscard]] int run();

 private:
  void wait_for_something();
  void take_signals();
  void reap();
  void kill_tree() const;
  void hang_up();

  Sandboxed sandboxed_;
  Channel channel_;
  Descriptor captured_;
  Descriptor signals_;
  OutputRelay relay_;
  OutputRelay::Clock::time_point kill_at_ = OutputRelay::Clock::time_point::max();
  bool ended_ = false;
  int status_;
};

}  // namespace parityd::launcher
