// The daemon: one loop on one thread that owns all state. Each turn waits for all events at once, writes what happened
// in one transaction, then sends what follows from it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/aftercare.h"
#include "agent/daemon/arrivals.h"
#include "agent/daemon/asking.h"
#include "agent/daemon/confirming.h"
#include "agent/daemon/judging_again.h"
#include "agent/daemon/life/programs.h"
#include "agent/daemon/loop/loop_clock.h"
#include "agent/daemon/loop/service.h"
#include "agent/daemon/queue.h"
#include "agent/daemon/requests.h"
#include "agent/daemon/sourcing.h"
#include "agent/daemon/torches.h"
#include "agent/daemon/upkeep/upkeep.h"
#include "agent/daemon/upkeep/watch.h"

namespace parityd::agent {

/// Everything the daemon uses, created by the CLI. References outlive the daemon.
struct DaemonParts {
  const Config& config;
  const prompts::PromptSet& prompts;
  store::Store& store;
  LoopClock& clock;
  executor::Workers& pool;
  executor::Syntax& syntax;
  Provider* provider;                // null: only queued programs are run
  std::vector<double> shares;        // share of the programs for each group of the pool
  executor::GroupIndex tested = 0;   // the first so many groups run programs; those after them have the newest torch
  std::vector<std::string> torches;  // the torch each group was built for; empty if only its workers can tell
  std::filesystem::path scratch;
  std::filesystem::path draft_template;
  Service& service;                   // signals, supervisor, log
  std::vector<StartNote> notes = {};  // of events before the daemon started
  DiskProbe disk = probe_disk;
  bool check_beside = true;                       // upkeep.h
  executor::Sources* sources = nullptr;           // of the torch under test; null: no model is given sources to read
  executor::Sources* previous_sources = nullptr;  // of the torch to compare them with, if configured
  KillHook kill_hook = {};
  NotifyParts notify = {};
  FixCommand fix = {};
};

/// Time for programs in flight to finish; the rest are requeued. Stopping takes at most ten seconds, cleanup included.
inline constexpr std::chrono::seconds kStopGrace{7};

enum class EndReason { done, stopped, provider_stopped, workers_broken };

class Daemon {
 public:
  Daemon(DaemonParts parts, DaemonOptions options, Progress& progress);

  /// Runs until an option, a signal or a `stop` request ends it.
  EndReason run();
  [[nodiscard]] const store::Counts& session() const { return turn_.session; }
  /// Text for the operator if the end reason is an error.
  [[nodiscard]] const std::string& problem() const { return broken_.empty() ? arrivals_.problem() : broken_; }
  /// For errors around the daemon; usable before run() too.
  [[nodiscard]] Alarms& alarms() { return alarms_; }

 private:
  void start();
  void resume();
  void turn();
  void wait();
  void read_clocks();
  void heed_signals();
  void reload();
  void begin_stop(executor::TimePoint by);
  void take_examined();
  void schedule();
  void look_after_findings();
  void look_after_workers();
  [[nodiscard]] bool nothing_left() const;
  [[nodiscard]] std::optional<EndReason> end_reason();
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string in_flight() const;

  DaemonParts parts_;
  Alarms alarms_;
  Turn turn_;
  Upkeep upkeep_;
  Watch watch_;
  Workshop shop_;
  Programs programs_;
  Queue queue_;
  Confirming confirming_;
  JudgingAgain judging_again_;
  Sourcing sourcing_;
  Arrivals arrivals_;
  Asking asking_;
  Aftercare aftercare_;
  Torches torches_;
  Requests requests_;
  bool silent_ = false;  // nobody reads the output any more, and that was noted
  bool stop_now_ = false;
  executor::TimePoint stop_by_;
  std::string broken_;  // why no worker can ever run
};

}  // namespace parityd::agent
