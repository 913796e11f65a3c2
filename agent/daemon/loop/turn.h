// State shared by the daemon's parts: the turn's time, effects to run after it, the session's counts, and reporting.
// One thread (the loop's); everything except reach() inside the turn's transaction.
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

/// Effects to run once the turn's rows are committed: nothing is sent before it is stored.
using Outbox = std::vector<std::function<void()>>;

struct DaemonOptions {
  std::optional<std::int64_t> programs;               // new programs to take, then drain
  std::optional<std::chrono::milliseconds> duration;  // time after which to stop
  bool drain = false;                                 // request no new programs; end when nothing is left
  store::Counts session = {};  // counts of the daemon that this one continues after a disk failure
};

struct Turn {
  const Config& config;
  store::Store& store;
  executor::Workers& pool;
  Alarms& alarms;
  Progress& progress;
  LogFile& log;
  KillHook kill_hook = {};
  executor::GroupIndex tested = 0;  // the first so many groups run programs; those after them have the newest torch

  executor::TimePoint now{};
  executor::TimePoint started{};
  store::Millis wall = 0;
  bool stopping = false;  // no new work starts
  Outbox outbox = {};
  DaemonOptions options = {};
  store::Counts session = {};
  std::uint64_t findings_changes = 1;  // grows when findings change: code that works on findings then looks again

  /// Runs `effect` once the turn's rows are committed.
  void send(std::function<void()> effect) { outbox.push_back(std::move(effect)); }
  /// The same, for sending a job to a worker.
  void execute(std::function<void()> effect);
  /// Whether this session may take another program.
  [[nodiscard]] bool may_take_program() const {
    return !stopping && (!options.programs || session.programs < *options.programs);
  }
  /// Call when findings were added or may have a different status or disposition.
  void findings_changed() { ++findings_changes; }
  /// Logs an event that is not an error; errors are raised (alarms.h).
  void note(const std::string& what, const std::string& text);
  /// Like note(), and also shows it on the terminal.
  void say(const std::string& what, const std::string& text);
  void reach(KillPoint point) const;
  [[nodiscard]] std::string device_of(executor::GroupIndex group) const;
};

}  // namespace parityd::agent
