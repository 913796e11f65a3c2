// Chooses the next strategy (docs/scheduler.md): each is an arm that competes for dollars and worker time. A discounted
// Thompson sampler over reward per cost (Russo et al., "A Tutorial on Thompson Sampling"; discounting as in D-UCB,
// Garivier and Moulines 2008). Pure: randomness is passed in as a seed. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/base/ids.h"
#include "store/work/spending.h"

namespace parityd::agent {

using Arm = store::ArmRow;

[[nodiscard]] std::string arm_of_strategy(const std::string& strategy);
/// Only the arms of strategies: older versions of parityd also learnt other choices.
[[nodiscard]] std::vector<Arm> strategy_arms(std::vector<Arm> all);

/// Reward of one program.
struct Reward {
  bool valid = false;
  int new_features = 0;    // compiler features that no program showed before
  int findings = 0;        // new findings that match no known issue
  int known_findings = 0;  // new findings that match one
  [[nodiscard]] double points() const;
};

/// Based on a rented GPU at three dollars an hour, which keeps about ten workers busy.
[[nodiscard]] double dollars_of_worker_seconds(double seconds);

class Scheduler {
 public:
  /// A strategy that may compete; `weight` is the operator's: 2 counts each point twice.
  struct Offer {
    std::string name;
    double weight = 1;
  };

  explicit Scheduler(const std::vector<Arm>& earned = {});

  /// The name of the arm to pull. One choice in twenty is uniform. Throws std::invalid_argument if there are no offers.
  [[nodiscard]] std::string choose(const std::vector<Offer>& offers, std::uint64_t seed) const;
  /// A pull is in progress: until its result arrives it counts as one without reward, so that pulls spread.
  void pulled(const std::string& name) { ++arms_[name].in_flight; }
  /// The pull will have no result.
  void cancelled(const std::string& name);
  /// Records a pull's reward and cost, also for an arm never pulled (after a restart). Returns the updated arm, to
  /// store.
  Arm observe(const std::string& name, double points, double dollars);
  /// Adds reward and cost to a pull that was already observed.
  Arm add(const std::string& name, double points, double dollars);

  /// Points per dollar: mean of the sampler's belief.
  [[nodiscard]] double mean_rate(const std::string& name) const;

 private:
  struct State {
    Arm arm;
    int in_flight = 0;
  };
  struct Belief {
    double shape = 0, rate = 0;  // of a gamma distribution over points per dollar
  };
  [[nodiscard]] Belief belief(const std::string& name) const;
  [[nodiscard]] double typical_cost() const;

  std::map<std::string, State> arms_;
};

}  // namespace parityd::agent
