// A change of torch's Python files tried: a finding with and without it, and programs that were consistent with it.
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

namespace parityd::agent {

/// A program that was consistent, and what the overlay makes of it.
struct Tried {
  store::ProgramRow program;
  oracle::Verdict screened;             // by a warm worker
  std::optional<oracle::Verdict> with;  // by fresh processes, where the warm worker saw anything
  std::optional<oracle::Verdict> without;
  std::string harness_failure;

  [[nodiscard]] bool broken() const;
  [[nodiscard]] bool judged() const { return harness_failure.empty(); }
};

class Verifier {
 public:
  /// What a finding showed with and without the overlay: result, hits, rounds and reason.
  struct Judged {
    store::RecheckRow with, without;
  };

  /// `progress` is told a line now and then. REQUIRES: an engine made with an overlay (EngineUse::overlay).
  Verifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress);

  /// The error: no worker can be started.
  [[nodiscard]] tl::expected<Judged, std::string> finding(const RecheckCase& found);
  [[nodiscard]] tl::expected<std::vector<Tried>, std::string> programs(std::vector<store::ProgramRow> rows);

 private:
  void begin_some();
  void take(const Examined& examined);
  void finish(std::map<store::Id, Tried>::iterator found);

  Engine& engine_;
  JobSession session_;
  int rounds_;
  std::function<void(const std::string&)> progress_;
  std::deque<store::ProgramRow> waiting_;
  std::map<store::Id, Tried> running_;
  std::vector<Tried> done_;
};

}  // namespace parityd::agent
