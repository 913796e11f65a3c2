// The workers of the simulation: no processes, the simulation's clock. They run programs as those say (nature.h), and
// die, hang or stand still as the faults say.
#pragma once

#include <deque>
#include <filesystem>
#include <random>
#include <vector>

#include "executor/pool/pool.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/trace.h"

namespace parityd::simulation {

class SimulatedWorkers final : public executor::Workers {
 public:
  /// Their processes start now.
  SimulatedWorkers(std::uint64_t seed, const Faults& faults, TimePoint now, Trace& trace);

  void submit(executor::Job job, TimePoint now) override;
  void append_interests(std::vector<executor::Interest>&) const override {}
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  void poll(TimePoint now) override;
  void hand_out(TimePoint /*now*/) override {}
  [[nodiscard]] std::vector<executor::JobResult> take_results() override { return std::exchange(results_, {}); }
  [[nodiscard]] std::vector<executor::PoolNotice> take_notices() override { return {}; }
  [[nodiscard]] std::vector<executor::WorkerSeconds> take_seconds(TimePoint now) override;
  /// They are looked at after each program.
  [[nodiscard]] std::vector<executor::Settled> take_settled() override { return std::exchange(settled_, {}); }
  void know_forms(executor::GroupIndex, const std::vector<std::uint64_t>&) override {}
  void distrust(executor::GroupIndex, int, const std::string&, TimePoint) override {}

  [[nodiscard]] std::size_t groups() const override { return 1; }
  [[nodiscard]] const executor::GroupConfig& config(executor::GroupIndex) const override { return config_; }
  [[nodiscard]] int free_warm(executor::GroupIndex) const override;
  [[nodiscard]] int free_fresh(executor::GroupIndex) const override;
  [[nodiscard]] executor::PoolCounts counts() const override;
  [[nodiscard]] executor::PoolCounts counts(executor::GroupIndex) const override { return counts(); }
  [[nodiscard]] std::optional<executor::Hello> hello(executor::GroupIndex) const override;
  [[nodiscard]] std::optional<std::string> broken(executor::GroupIndex) const override;
  [[nodiscard]] std::optional<std::string> short_of_files() const override { return std::nullopt; }
  [[nodiscard]] std::optional<std::string> parked(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] const executor::EnvironmentResult& environment(executor::GroupIndex) const override;

  /// They could run something: none is missing because of a fault.
  [[nodiscard]] bool ready() const { return now_ >= ready_at_ && !broken(0); }

 private:
  struct Running {
    TimePoint end;
    executor::Job job;
    std::chrono::milliseconds takes{0};
  };
  void dispatch();
  void end(const Running& running);
  [[nodiscard]] executor::JobResult result_of(const executor::Job& job);
  [[nodiscard]] int busy(bool fresh) const;
  [[nodiscard]] int free_places(bool fresh) const;

  std::mt19937_64 random_;
  const Faults& faults_;
  Trace& trace_;
  executor::GroupConfig config_;
  executor::EnvironmentResult environment_;
  TimePoint now_, ready_at_, accounted_;
  std::deque<executor::Job> queue_;
  std::vector<Running> running_;
  std::vector<executor::JobResult> results_;
  std::vector<executor::Settled> settled_;
};

}  // namespace parityd::simulation
