// Which strategy is asked next (docs/scheduler.md): each is an arm that competes for dollars and worker time. A
// discounted Thompson sampler over reward per cost (Russo et al., "A Tutorial on Thompson Sampling"; discounting as
// D-UCB, Garivier and Moulines 2008). Pure: randomness comes in as a seed. One thread.
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
/// Those of strategies: an older parityd learnt to choose among more than these.
[[nodiscard]] std::vector<Arm> strategy_arms(std::vector<Arm> all);

/// Points of one program.
struct Reward {
  bool valid = false;
  int new_features = 0;    // compiler features that no program showed before
  int findings = 0;        // new ones that match no known issue
  int known_findings = 0;  // new ones that do
  [[nodiscard]] double points() const;
};

/// A rented GPU of three dollars an hour keeps about ten workers busy.
[[nodiscard]] double dollars_of_worker_seconds(double seconds);

class Scheduler {
 public:
  /// One of those an operator lets compete; `weight` is theirs: 2 counts each point twice.
  struct Offer {
    std::string name;
    double weight = 1;
  };

  explicit Scheduler(const std::vector<Arm>& earned = {});

  /// The name of the arm to pull. One choice in twenty is uniform. Throws std::invalid_argument without offers.
  [[nodiscard]] std::string choose(const std::vector<Offer>& offers, std::uint64_t seed) const;
  /// A pull is under way: until its result is in it counts as one that brought nothing, so that pulls spread.
  void pulled(const std::string& name) { ++arms_[name].in_flight; }
  /// A pull that will have no result.
  void cancelled(const std::string& name);
  /// What a pull brought; of arms never pulled too (a restart). Returns the arm as it is now, to be kept.
  Arm observe(const std::string& name, double points, double dollars);
  /// What came later of a pull that was observed.
  Arm add(const std::string& name, double points, double dollars);

  /// Points a dollar, as the sampler believes on average.
  [[nodiscard]] double mean_rate(const std::string& name) const;

 private:
  struct State {
    Arm arm;
    int in_flight = 0;
  };
  struct Belief {
    double shape = 0, rate = 0;  // of a gamma distribution over points a dollar
  };
  [[nodiscard]] Belief belief(const std::string& name) const;
  [[nodiscard]] double typical_cost() const;

  std::map<std::string, State> arms_;
};

}  // namespace parityd::agent
