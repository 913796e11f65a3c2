#include "agent/daemon/supply/choices.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace parityd::agent {
namespace {

constexpr std::string_view kStrategy = "strategy/";
constexpr std::string_view kRepair = "repair/";
constexpr std::string_view kParent = "parent/";

std::vector<Arm> arms_of(const std::vector<Arm>& all, std::string_view start) {
  std::vector<Arm> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Arm& arm) {
    return arm.name.starts_with(start) || (start == kRepair && arm.name == kNewProgram);
  });
  return found;
}

}  // namespace

const std::vector<ParentKind>& parent_kinds() {
  static const std::vector<ParentKind> kinds = [] {
    std::vector<ParentKind> all;
    using enum store::Origin;
    for (const auto origin : {reply, repair, corpus, mutant, composed, import}) {
      all.push_back({.origin = origin, .reached_new = true});
      all.push_back({.origin = origin, .reached_new = false});
    }
    return all;
  }();
  return kinds;
}

std::string arm_of_strategy(const std::string& strategy) { return std::string(kStrategy) + strategy; }

std::string arm_of_repair(const std::string& error_class) { return std::string(kRepair) + error_class; }

std::string arm_of_parent(const ParentKind& kind) {
  return std::string(kParent) + std::string(name(kind.origin)) + (kind.reached_new ? ", something new" : "");
}

Choices::Choices(const std::vector<Arm>& earned)
    : strategies_(arms_of(earned, kStrategy)), repairs_(arms_of(earned, kRepair)), parents_(arms_of(earned, kParent)) {}

bool Choices::worth_repairing(const std::string& error_class, std::uint64_t seed) const {
  const std::string arm = arm_of_repair(error_class);
  return repairs_.pulls(arm) < kFirstRepairs || repairs_.choose({{.name = arm}, {.name = kNewProgram}}, seed) == arm;
}

void Choices::repair_asked(const std::string& error_class) { repairs_.pulled(arm_of_repair(error_class)); }

ParentKind Choices::parent(const std::vector<ParentKind>& kinds, std::uint64_t seed) const {
  std::vector<Scheduler::Offer> offers;
  offers.reserve(kinds.size());
  for (const ParentKind& kind : kinds) offers.push_back({.name = arm_of_parent(kind)});
  const std::string chosen = parents_.choose(offers, seed);
  return *std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return arm_of_parent(kind) == chosen; });
}

std::vector<Arm> Choices::generated(const std::string& strategy, double points, double dollars) {
  return {strategies_.observe(arm_of_strategy(strategy), points, dollars),
          repairs_.observe(kNewProgram, points, dollars)};
}

std::vector<Arm> Choices::repaired(const std::string& strategy, const std::string& error_class, double points,
                                   double dollars, bool kept) {
  std::vector<Arm> changed{repairs_.observe(arm_of_repair(error_class), kept ? points : 0, dollars)};
  if (!strategy.empty()) {
    changed.push_back(repairs_.add(kNewProgram, points, dollars));
    changed.push_back(strategies_.add(arm_of_strategy(strategy), points, dollars));
  }
  return changed;
}

std::vector<Arm> Choices::bred(const ParentKind& parent, double points, double dollars) {
  return {parents_.observe(arm_of_parent(parent), points, dollars)};
}

}  // namespace parityd::agent
