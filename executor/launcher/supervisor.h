// Supervises one sandboxed program until it ends or must be ended. For the launcher's only thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "executor/launcher/pipe.h"
#include "executor/launcher/sandbox.h"

namespace parityd::launcher {

// Passes the program's captured output on to the launcher's stderr, limited so that a flood does no harm, and without
// ever waiting: neither the program nor the launcher stalls if nobody reads.

class OutputRelay {
 public:
  using Clock = std::chrono::steady_clock;
  /// Bytes let through per second; the rest is dropped and counted.
  static constexpr std::size_t kPerSecond = std::size_t{64} << 10;
  /// This much of the dropped output is shown at the end after all: a dying program's last words.
  static constexpr std::size_t kLastWords = std::size_t{4} << 10;

  explicit OutputRelay(int target) : target_(target) {}

  /// Reads `source`, which is non-blocking, until it is empty or `most` bytes were read. False at end of file.
  bool read_from(int source, std::size_t most, Clock::time_point now);
  /// Reports how much was dropped, and the last part of it.
  void finish();

 private:
  void pass(std::string_view bytes, Clock::time_point now);
  void drop(std::string_view bytes);
  void say_dropped();
  bool send(std::string_view bytes) const;

  int target_;
  Clock::time_point window_{};
  std::size_t allowed_ = 0;
  std::size_t dropped_ = 0;
  std::string last_words_;
};

/// The launcher's copies of the channel's descriptors: watched for a hang-up, never read or written.
struct Channel {
  Descriptor input, output;
};

class Supervisor {
 public:
  /// `signals` delivers SIGCHLD and the signals that ask the launcher to end.
  Supervisor(Sandboxed sandboxed, Channel channel, Descriptor captured, Descriptor signals);

  /// Returns when nothing of the tree is left, with the program's wait status as waitpid reports it.
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
