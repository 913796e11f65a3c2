// Tries a patch of torch's Python files, given as an overlay: on a finding, and on programs that were consistent.
// Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/job_session.h"
#include "agent/fixing/fired.h"
#include "store/findings/rechecks.h"
#include "store/store.h"

namespace parityd::agent {

/// The check that an optimisation was not just switched off.
struct WhatFired {
  std::vector<std::string> switched_off;  // as agent/fixing/fired.h has it
  std::string problem;                    // why it could not be checked; empty: it was
};

/// What the compiler does for the finding's program, by the group's workers. The error: the tool failed, or no worker
/// can be started.
[[nodiscard]] tl::expected<Fired, std::string> fired_on(JobSession& session, const store::FindingRow& finding,
                                                        executor::GroupIndex group);

/// The regression test of a change: it must fail without the change and pass with it.
struct RegressionTest {
  std::string without, with;  // "passes" or "fails: exit status 1, AssertionError"; or why it could not be run

  [[nodiscard]] bool proves() const { return with == "passes" && without.starts_with("fails"); }
};

/// A program that was consistent, and its results with the overlay.
struct Tried {
  store::ProgramRow program;
  bool related = false;                 // it calls an operator that the finding is about
  oracle::Verdict screened;             // by a warm worker
  std::optional<oracle::Verdict> with;  // by fresh processes, if the warm worker saw a difference
  std::optional<oracle::Verdict> without;
  std::string harness_failure;

  [[nodiscard]] bool broken() const;
  [[nodiscard]] bool judged() const { return harness_failure.empty(); }
};

class PatchVerifier {
 public:
  /// Results for a finding with and without the overlay: result, hits, rounds and reason.
  struct Judged {
    store::RecheckRow with, without;
  };

  /// `progress`: called with a line from time to time. REQUIRES: an engine made with an overlay (EngineUse::overlay).
  PatchVerifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress);

  /// The error: no worker can be started.
  [[nodiscard]] tl::expected<Judged, std::string> finding(const RecheckCase& found);
  /// What the compiler did for the finding's program without the overlay and does no more with it (switched_off()).
  [[nodiscard]] WhatFired fired(const store::FindingRow& found);
  /// Runs the script on both sides by a plain interpreter.
  [[nodiscard]] RegressionTest regression(store::Id finding, const std::string& script);
  [[nodiscard]] tl::expected<std::vector<Tried>, std::string> programs(std::vector<Tried> programs);

 private:
  void begin_some();
  void on_result(const Examined& examined);
  void finish(std::map<store::Id, Tried>::iterator found);

  Engine& engine_;
  JobSession session_;
  int rounds_;
  std::function<void(const std::string&)> progress_;
  std::deque<Tried> waiting_;
  std::map<store::Id, Tried> running_;
  std::vector<Tried> done_;
};

/// Programs that were consistent on this torch and device: those that call the operators first, then any others, drawn
/// by the seed; `most` in all.
[[nodiscard]] std::vector<Tried> programs_to_try(const store::Store& store, const std::string& torch,
                                                 const std::string& device, const std::vector<std::string>& operators,
                                                 int most, std::uint64_t seed);

}  // namespace parityd::agent
