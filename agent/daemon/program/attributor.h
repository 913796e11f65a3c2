// The attributor: runs the search of oracle/attribute for one confirmed inconsistency, as warm runs of the examiner.
// One thread (the loop's).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/daemon/program/examiner.h"
#include "oracle/finding/attribute.h"

namespace parityd::agent {

/// What the program ran on.
struct Place {
  std::string torch;  // version of torch
  oracle::DeviceKind device = oracle::DeviceKind::cpu;
};

class Attributor {
 public:
  /// `symptom`: verdict and evidence of a confirmation round.
  Attributor(Examiner& examiner, Subject subject, oracle::Shown symptom, Place place);

  /// Starts. If the stage is not known, finds it first by the stage runs.
  void begin(std::optional<oracle::Stage> stage, executor::TimePoint now);
  /// Takes a stage run or an ablation of this program. Afterwards either done(), or more runs are under way.
  void on_result(const Examined& examined, executor::TimePoint now);

  [[nodiscard]] bool done() const { return attribution_ && attribution_->done(); }
  /// REQUIRES: done().
  [[nodiscard]] const oracle::Attributed& result() const { return attribution_->result(); }
  [[nodiscard]] oracle::Stage stage() const { return stage_; }
  [[nodiscard]] int runs() const { return runs_; }
  [[nodiscard]] double seconds() const { return seconds_; }  // worker time

 private:
  void search(oracle::Stage stage, executor::TimePoint now);
  void submit(executor::TimePoint now);

  Examiner& examiner_;
  Subject subject_;
  std::shared_ptr<const oracle::Shown> symptom_;
  Place place_;
  oracle::Stage stage_ = oracle::Stage::inductor;
  std::optional<oracle::Attribution> attribution_;
  int runs_ = 0;
  double seconds_ = 0;
};

/// What the search needs to know about a program: its text and OPTIONS, and the operators that its compiled run
/// reported.
[[nodiscard]] oracle::AttributionFacts attribution_facts(const Subject& subject, const oracle::Evidence& evidence,
                                                         oracle::Stage stage, const Place& place);

}  // namespace parityd::agent
