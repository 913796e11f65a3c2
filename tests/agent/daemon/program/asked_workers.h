// Workers of two groups that answer when the test says so, and what it says.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executor/pool/pool.h"
#include "tests/oracle/builders.h"

namespace parityd::agent {

using Measure = std::function<void(const executor::Job& job, oracle::Evidence& evidence)>;

/// Keeps what it is given until the test has it answered. A mode raises where the text has all words that stand for it.
class AskedWorkers final : public executor::Workers {
 public:
  using Raises = std::map<oracle::Mode, std::vector<std::string>>;
  explicit AskedWorkers(Raises raises) : raises_(std::move(raises)) {}
  explicit AskedWorkers(Measure measure) : measure_(std::move(measure)) {}

  void answer_oldest() {
    executor::Job job = std::move(waiting_.front());
    waiting_.pop_front();
    executor::JobResult result{.id = job.id, .evidence = evidence(job), .seconds = 1};
    results_.push_back(std::move(result));
  }
  void fail_oldest(const std::string& harness_failure) {
    results_.push_back({.id = waiting_.front().id, .harness_failure = harness_failure});
    waiting_.pop_front();
  }
  [[nodiscard]] const std::deque<executor::Job>& waiting() const { return waiting_; }
  [[nodiscard]] int times(oracle::Mode mode) const {
    return static_cast<int>(std::ranges::count_if(
        modes_, [&](const auto& modes) { return std::ranges::find(modes, mode) != modes.end(); }));
  }
  [[nodiscard]] oracle::Evidence evidence(const executor::Job& job) const {
    oracle::Evidence told;
    for (const oracle::Mode mode : job.modes) {
      oracle::Outcome& outcome = told.outcomes[mode];
      outcome = oracle::test::ran();
      const auto words = raises_.find(mode);
      const auto has = [&](const std::string& word) { return job.program.find(word) != std::string::npos; };
      if (words != raises_.end() && std::ranges::all_of(words->second, has)) {
        outcome.kind = oracle::OutcomeKind::raised;
        outcome.step = oracle::Step::compile;
        outcome.error = oracle::ErrorReport{.outer_class = "ValueError", .inner_class = "ValueError", .message = "no"};
      }
    }
    if (measure_) measure_(job, told);
    return told;
  }

  void submit(executor::Job job, executor::TimePoint) override {
    modes_.push_back(job.modes);
    waiting_.push_back(std::move(job));
  }
  [[nodiscard]] std::vector<executor::JobResult> take_results() override { return std::exchange(results_, {}); }
  void append_interests(std::vector<executor::Interest>&) const override {}
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const override { return {}; }
  void poll(executor::TimePoint) override {}
  void hand_out(executor::TimePoint) override {}
  [[nodiscard]] std::vector<executor::PoolNotice> take_notices() override { return {}; }
  [[nodiscard]] std::vector<executor::WorkerSeconds> take_seconds(executor::TimePoint) override { return {}; }
  [[nodiscard]] std::vector<executor::Settled> take_settled() override { return {}; }
  void know_forms(executor::GroupIndex, const std::vector<std::uint64_t>&) override {}
  void distrust(executor::GroupIndex, int, const std::string&, executor::TimePoint) override {}
  [[nodiscard]] std::size_t groups() const override { return 2; }
  [[nodiscard]] const executor::GroupConfig& config(executor::GroupIndex) const override { return config_; }
  [[nodiscard]] int free_warm(executor::GroupIndex) const override { return 1; }
  [[nodiscard]] int free_fresh(executor::GroupIndex) const override { return 1; }
  [[nodiscard]] executor::PoolCounts counts() const override { return {}; }
  [[nodiscard]] executor::PoolCounts counts(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<executor::Hello> hello(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> broken(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> parked(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> short_of_files() const override { return {}; }
  [[nodiscard]] const executor::EnvironmentResult& environment(executor::GroupIndex) const override {
    return environment_;
  }

 private:
  Raises raises_;
  Measure measure_;
  std::deque<executor::Job> waiting_;
  std::vector<executor::JobResult> results_;
  std::vector<std::vector<oracle::Mode>> modes_;
  executor::GroupConfig config_;
  executor::EnvironmentResult environment_;
};

}  // namespace parityd::agent
