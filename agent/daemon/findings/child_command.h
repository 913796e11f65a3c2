// A command that runs beside the daemon: started once, never waited for, killed when it takes too long. One thread (the
// loop's).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/process/process.h"

namespace parityd::agent {

/// Why a command failed: "exit code 3: curl: (6) Could not resolve host"; empty: it succeeded.
[[nodiscard]] std::string command_failure(executor::ExitState exit, const std::string& errors);

struct CommandEnd {
  executor::ExitState exit;
  std::string why;  // as command_failure(), or that it could not be started or was killed; empty: it succeeded
};

class ChildCommand {
 public:
  /// Not started yet. With `longest` over, counted from `now`, it is killed.
  ChildCommand(executor::TimePoint now, std::chrono::seconds longest) : longest_(longest), deadline_(now + longest) {}

  /// `input`: what it reads on standard input. A failure to start is an end, with exit status 127. REQUIRES: not called
  /// before.
  void start(const executor::ProcessOptions& options, const std::string& input);
  /// nullopt: it runs, or was not started. What it wrote on standard output is dropped.
  [[nodiscard]] std::optional<CommandEnd> ended(executor::TimePoint now);
  void ask_to_end();

  void append_interests(std::vector<executor::Interest>& interests) const;
  /// When ended() must be called at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

 private:
  std::chrono::seconds longest_;
  executor::TimePoint deadline_;
  std::unique_ptr<executor::Process> process_;
  std::string problem_;    // why it could not be started
  bool too_long_ = false;  // killed, but may not have exited yet, which is not waited for
};

}  // namespace parityd::agent
