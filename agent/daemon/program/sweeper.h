// The sweeper: runs variants of one confirmed inconsistency on warm workers to find its extent (docs/attribution.md):
// which siblings of its operator, dtypes, sizes, devices, modes and numbers of threads show it. One thread (the
// loop's).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/daemon/program/examiner.h"
#include "executor/syntax/syntax.h"
#include "oracle/finding/extent.h"

namespace parityd::agent {

class Sweeper {
 public:
  static constexpr int kMostVariants = 28;
  /// After this many lost workers it ends: a program that kills or spoils its worker would cost one per variant.
  static constexpr int kMostLostWorkers = 3;

  /// `shown`: what a confirmation round showed, with its stage.
  Sweeper(Examiner& examiner, executor::Syntax& syntax, Subject subject, const oracle::Shown& shown);

  /// Workers on another kind of device.
  struct Elsewhere {
    executor::GroupIndex group = 0;
    std::string device;
  };
  /// Starts. `device`: the subject's. `neutraliser`: what attribution found, as a line; it may name the operator in
  /// question.
  void begin(const std::string& device, const std::vector<Elsewhere>& elsewhere, const std::string& neutraliser);
  /// Sends as many runs as there is room for.
  void send_trials(TrialRoom& room, executor::TimePoint now);
  /// Takes a candidate of this program.
  void on_result(const Examined& examined);

  [[nodiscard]] bool done() const { return listed_ && waiting_.empty() && running_.empty(); }
  /// REQUIRES: done(). In the order of the aspects.
  [[nodiscard]] const std::vector<oracle::TriedVariant>& tried() const { return tried_; }
  [[nodiscard]] int runs() const { return runs_; }
  [[nodiscard]] double seconds() const { return seconds_; }  // worker time

 private:
  struct Variant {
    Subject subject;
    std::size_t place = 0;  // index in tried_
    bool controls = false;
  };
  void listed(const std::vector<executor::ProgramVariant>& variants);
  void wait_for(oracle::TriedVariant tried, Subject subject);

  Examiner& examiner_;
  executor::Syntax& syntax_;
  Subject subject_;
  oracle::Kind kind_;
  oracle::Stage stage_;
  /// The syntax process may answer after this object is destroyed.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool on_cpu_ = false;  // other devices have no thread count
  bool listed_ = false;
  std::vector<oracle::TriedVariant> tried_;
  std::deque<Variant> waiting_;
  std::map<int, Variant> running_;
  int runs_ = 0;
  int lost_workers_ = 0;
  int next_number_ = 1;
  double seconds_ = 0;
};

}  // namespace parityd::agent
