#include "agent/daemon/supply/scheduler.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace parityd::agent {
namespace {

constexpr double kDiscount = 0.99;  // half of an arm's weight is in its last 70 pulls
constexpr double kExploration = 0.05;
/// An unknown arm is assumed to be like the average of all, with the certainty of this many pulls.
constexpr double kPriorPulls = 3;
constexpr double kFirstCost = 0.001;  // dollars per pull, before any pull
constexpr double kLeastShape = 0.5;

constexpr double kValid = 0.1;
constexpr double kFeature = 1;
constexpr int kMostFeatures = 10;  // in a new database the first programs show hundreds
constexpr double kFinding = 20;
constexpr double kKnownFinding = 4;

constexpr const char* kStrategy = "strategy/";

}  // namespace

std::string arm_of_strategy(const std::string& strategy) { return kStrategy + strategy; }

std::vector<Arm> strategy_arms(std::vector<Arm> all) {
  std::erase_if(all, [](const Arm& arm) { return !arm.name.starts_with(kStrategy); });
  return all;
}

double Reward::points() const {
  return (valid ? kValid : 0) + kFeature * std::min(new_features, kMostFeatures) + kFinding * findings +
         kKnownFinding * known_findings;
}

double dollars_of_worker_seconds(double seconds) { return seconds * 3 / 3600 / 10; }

Scheduler::Scheduler(const std::vector<Arm>& earned) {
  for (const Arm& arm : earned) arms_[arm.name].arm = arm;
}

double Scheduler::typical_cost() const {
  double cost = 0, pulls = 0;
  for (const auto& [name, state] : arms_) {
    // The discounted sums correspond to at most 1 / (1 - discount) pulls.
    pulls += std::min(static_cast<double>(state.arm.pulls), 1 / (1 - kDiscount));
    cost += state.arm.cost;
  }
  return pulls > 0 && cost > 0 ? cost / pulls : kFirstCost;
}

Scheduler::Belief Scheduler::belief(const std::string& name) const {
  double reward = 0, cost = 0;
  for (const auto& [each, state] : arms_) {
    reward += state.arm.reward;
    cost += state.arm.cost;
  }
  const double typical = typical_cost();
  const double prior_cost = kPriorPulls * typical;
  const double average = cost > 0 ? reward / cost : 1 / typical;
  Belief belief{.shape = kLeastShape + average * prior_cost, .rate = prior_cost};
  if (const auto found = arms_.find(name); found != arms_.end()) {
    belief.shape += found->second.arm.reward;
    belief.rate += found->second.arm.cost + typical * found->second.in_flight;
  }
  return belief;
}

double Scheduler::mean_rate(const std::string& name) const {
  const Belief believed = belief(name);
  return believed.shape / believed.rate;
}

std::string Scheduler::choose(const std::vector<Offer>& offers, std::uint64_t seed) const {
  if (offers.empty()) throw std::invalid_argument("nothing to choose from");
  std::mt19937_64 random(seed);
  if (std::uniform_real_distribution<double>(0, 1)(random) < kExploration) {
    return offers[std::uniform_int_distribution<std::size_t>(0, offers.size() - 1)(random)].name;
  }
  const Offer* chosen = nullptr;
  double best = -1;
  for (const Offer& offer : offers) {
    const Belief believed = belief(offer.name);
    const double drawn = offer.weight * std::gamma_distribution<double>(believed.shape, 1 / believed.rate)(random);
    if (drawn > best) {
      best = drawn;
      chosen = &offer;
    }
  }
  return chosen->name;
}

void Scheduler::cancelled(const std::string& name) {
  State& state = arms_[name];
  state.in_flight = std::max(0, state.in_flight - 1);
}

Arm Scheduler::observe(const std::string& name, double points, double dollars) {
  cancelled(name);
  Arm& arm = arms_[name].arm;
  arm.reward *= kDiscount;
  arm.cost *= kDiscount;
  ++arm.pulls;
  return add(name, points, dollars);
}

Arm Scheduler::add(const std::string& name, double points, double dollars) {
  Arm& arm = arms_[name].arm;
  arm.name = name;
  arm.reward += points;
  arm.cost += dollars;
  return arm;
}

}  // namespace parityd::agent
