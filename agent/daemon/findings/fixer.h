// The fixer: with [fix] automatic, starts `parityd fix ID` for each ready finding of which no change was tried on its
// torch, one at a time, without waiting for it. The command stores each try before it asks a model, so a kill at any
// moment loses neither money nor a reply; a finding with a try is not taken again. One thread (the loop's).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/findings/child_command.h"
#include "agent/daemon/loop/turn.h"
#include "executor/process/process.h"
#include "store/store.h"

namespace parityd::agent {

/// Internal option of `parityd fix`: a daemon started it. It ends with the daemon, takes a quarter of the workers, and
/// has the exit status below.
inline constexpr const char* kForDaemonOption = "--for-daemon";
/// Exit status: the budget refuses the request, no provider can be asked, or no worker can run a change.
inline constexpr int kFixLater = 75;
/// Key in the store's values: {"finding": 7, "since": …} while the command runs, else empty.
inline constexpr const char* kFixing = "fixing";

/// The process of `parityd fix` for a finding, under this configuration. Empty: none is ever started.
using FixCommand = std::function<executor::ProcessOptions(const Config& config, store::Id finding)>;

/// A torch and a device that programs run on.
struct FixPlace {
  std::string torch, device;
  bool operator==(const FixPlace&) const = default;
};

class Fixer {
 public:
  /// References outlive this object; `config` may change between calls.
  Fixer(const Config& config, FixCommand command, store::Store& store, Alarms& alarms)
      : config_(config), command_(std::move(command)), store_(store), alarms_(alarms) {}

  /// Findings or their tries may have changed. Initially assumed.
  void look_again() { look_ = true; }
  /// The configuration has changed: waits for nothing.
  void reload();

  /// Takes a command that ended, and records which is next before `outbox` starts it. Inside the turn's transaction.
  void advance(executor::TimePoint now, store::Millis wall, bool may_begin, const std::vector<FixPlace>& places,
               Outbox& outbox);
  /// Asks the command that runs to end; its try stays `asked`. Nothing is begun any more.
  void stop();

  void append_interests(std::vector<executor::Interest>& interests) const;
  /// When advance() must be called at the latest.
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;
  /// A command runs. One that failed is not waited for, nor is a budget.
  [[nodiscard]] bool busy() const { return running_.has_value(); }

 private:
  struct Running {
    store::Id finding = 0;
    std::size_t tries = 0;  // of the finding before
    ChildCommand command;
  };

  void collect_ended(executor::TimePoint now, store::Millis wall);
  void take_end(const Running& running, const CommandEnd& end, executor::TimePoint now, store::Millis wall);
  void failed(store::Id finding, const std::string& why, executor::TimePoint now, store::Millis wall);
  void pause(store::Id finding, const std::string& why, std::chrono::seconds length, executor::TimePoint now);
  void begin(executor::TimePoint now, store::Millis wall, const std::vector<FixPlace>& places, Outbox& outbox);
  [[nodiscard]] std::optional<store::Id> next(const std::vector<FixPlace>& places) const;

  const Config& config_;
  FixCommand command_;
  store::Store& store_;
  Alarms& alarms_;
  bool look_ = true;
  bool stopped_ = false;
  executor::TimePoint not_before_{};
  int failures_ = 0;                     // in a row
  std::map<store::Id, int> of_finding_;  // failures
  std::optional<store::Id> unanswered_;  // has a try, but no provider answered it
  std::optional<Running> running_;
};

}  // namespace parityd::agent
