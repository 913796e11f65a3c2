// What the parts of the daemon share: the time of the turn, what is sent after it, the session's numbers, and how
// something is told. One thread (the loop's); all but reach() inside the turn's transaction.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/loop/alarms.h"
#include "agent/daemon/loop/kill_point.h"
#include "agent/daemon/loop/log_file.h"
#include "agent/daemon/loop/progress.h"
#include "executor/pool/workers.h"
#include "store/store.h"

namespace parityd::agent {

/// Work to do once the turn's rows are committed: nothing is sent before it is written down.
using Outbox = std::vector<std::function<void()>>;

struct DaemonOptions {
  std::optional<std::int64_t> programs;               // first programs to take, then drain
  std::optional<std::chrono::milliseconds> duration;  // then stop
  bool drain = false;                                 // ask for no new programs; end when nothing is left
  store::Counts session = {};                         // of the daemon that this one goes on for: its disk failed
};

struct Turn {
  const Config& config;
  store::Store& store;
  executor::Workers& pool;
  Alarms& alarms;
  Progress& progress;
  LogFile& log;
  KillHook kill_hook = {};
  executor::GroupIndex tested = 0;  // so many groups run programs; those after them have the newest torch

  executor::TimePoint now{};
  executor::TimePoint started{};
  store::Millis wall = 0;
  bool stopping = false;  // nothing new begins
  Outbox outbox = {};
  DaemonOptions options = {};
  store::Counts session = {};
  std::uint64_t findings_changes = 1;  // whoever works on findings looks again when it has grown

  /// `effect` runs once the turn's rows are committed.
  void send(std::function<void()> effect) { outbox.push_back(std::move(effect)); }
  /// The same for a job given to a worker.
  void execute(std::function<void()> effect);
  /// Another program may be taken that this session counts.
  [[nodiscard]] bool may_take_program() const {
    return !stopping && (!options.programs || session.programs < *options.programs);
  }
  /// Findings were added, or may have another status or disposition.
  void findings_changed() { ++findings_changes; }
  /// What happened and is no fault: those are raised (alarms.h).
  void note(const std::string& what, const std::string& text);
  /// Notes it, and shows it.
  void say(const std::string& what, const std::string& text);
  void reach(KillPoint point) const;
  [[nodiscard]] std::string device_of(executor::GroupIndex group) const;
};

}  // namespace parityd::agent
