// The scheduler against arms whose worth is known: it earns more than uniform choice, and leaves an arm that dries up.
#include "agent/daemon/supply/scheduler.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace parityd::agent;

namespace {

/// A pull brings `reward` points with this chance, and costs so much.
struct World {
  struct Truth {
    double chance = 0, reward = 0, dollars = 0.001;
  };
  std::map<std::string, Truth> arms;
  std::mt19937_64 random{7};

  [[nodiscard]] std::vector<Scheduler::Offer> offers() const {
    std::vector<Scheduler::Offer> all;
    for (const auto& [name, truth] : arms) all.push_back({.name = name});
    return all;
  }
  double pull(const std::string& name) {
    const Truth& truth = arms.at(name);
    return std::bernoulli_distribution(truth.chance)(random) ? truth.reward : 0;
  }
};

World strategies() {
  World world;
  world.arms["rich"] = {.chance = 0.30, .reward = 2};
  world.arms["lucky"] = {.chance = 0.01, .reward = 20};
  world.arms["poor"] = {.chance = 0.05, .reward = 1};
  world.arms["dear"] = {.chance = 0.30, .reward = 2, .dollars = 0.01};
  for (const char* name : {"dry 1", "dry 2", "dry 3", "dry 4"}) world.arms[name] = {.chance = 0.1, .reward = 0.1};
  return world;
}

struct Earned {
  double points = 0, dollars = 0;
  std::map<std::string, int> pulls;
};

/// With `depth` pulls whose results are not in yet.
Earned earn(World& world, Scheduler& scheduler, int pulls, std::uint64_t seed, std::size_t depth = 1) {
  Earned earned;
  std::vector<std::string> in_flight;
  for (int pull = 0; pull < pulls; ++pull) {
    in_flight.push_back(scheduler.choose(world.offers(), seed + static_cast<std::uint64_t>(pull)));
    scheduler.pulled(in_flight.back());
    if (in_flight.size() < depth) continue;
    const std::string name = in_flight.front();
    in_flight.erase(in_flight.begin());
    const double points = world.pull(name);
    (void)scheduler.observe(name, points, world.arms.at(name).dollars);
    earned.points += points;
    earned.dollars += world.arms.at(name).dollars;
    earned.pulls[name] += 1;
  }
  return earned;
}

double uniform_rate(const World& world) {
  double points = 0, dollars = 0;
  for (const auto& [name, truth] : world.arms) {
    points += truth.chance * truth.reward;
    dollars += truth.dollars;
  }
  return points / dollars;
}

}  // namespace

TEST_CASE("it earns more per dollar than uniform choice, whatever the seed") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    World world = strategies();
    Scheduler scheduler;
    const Earned earned = earn(world, scheduler, 2000, seed * 100'000);
    CHECK(earned.points / earned.dollars > 2 * uniform_rate(world));
    CHECK(earned.pulls.at("rich") > 800);
    for (const auto& [name, truth] : world.arms) CHECK(earned.pulls.at(name) >= 5);  // none is given up
  }
}

TEST_CASE("of two arms with the same yield the cheaper one is pulled") {
  World world = strategies();
  Scheduler scheduler;
  const Earned earned = earn(world, scheduler, 2000, 1);
  CHECK(earned.pulls.at("rich") > 5 * earned.pulls.at("dear"));
  CHECK(scheduler.mean_rate("rich") > scheduler.mean_rate("dear"));
}

TEST_CASE("an arm that stops yielding is left and one that starts yielding is found") {
  World world = strategies();
  Scheduler scheduler;
  (void)earn(world, scheduler, 1500, 1);
  world.arms["rich"].chance = 0;
  world.arms["dry 3"] = {.chance = 0.3, .reward = 2};
  (void)earn(world, scheduler, 1000, 1'000'000);
  const Earned after = earn(world, scheduler, 1000, 2'000'000);
  CHECK(after.pulls.at("dry 3") > 4 * after.pulls.at("rich"));
  CHECK(after.points / after.dollars > uniform_rate(world));
}

TEST_CASE("concurrent pulls do not all go to one arm") {
  World world;
  for (const char* name : {"a", "b", "c", "d"}) world.arms[name] = {.chance = 0.1, .reward = 1};
  Scheduler scheduler;
  std::map<std::string, int> chosen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const std::string name = scheduler.choose(world.offers(), seed);
    scheduler.pulled(name);
    chosen[name] += 1;
  }
  for (const auto& [name, truth] : world.arms) CHECK(chosen[name] >= 8);
  Scheduler deep;
  const Earned earned = earn(world, deep, 500, 3, 64);
  CHECK(earned.pulls.size() == 4);
}

TEST_CASE("a pull without a result leaves no trace and a late result is ignored") {
  Scheduler scheduler;
  (void)scheduler.observe("a", 2, 0.5);
  const double before = scheduler.mean_rate("a");
  scheduler.pulled("a");
  CHECK(scheduler.mean_rate("a") < before);
  scheduler.cancelled("a");
  CHECK(scheduler.mean_rate("a") == before);
  const Arm late = scheduler.add("a", 1, 0.25);
  CHECK(late.pulls == 1);
  CHECK(late.reward == 3);
  CHECK(late.cost == 0.75);
}

TEST_CASE("earnings survive a restart") {
  World world = strategies();
  Scheduler before;
  std::map<std::string, Arm> kept;
  for (int pull = 0; pull < 600; ++pull) {
    const std::string name = before.choose(world.offers(), static_cast<std::uint64_t>(pull));
    kept[name] = before.observe(name, world.pull(name), world.arms.at(name).dollars);
  }
  std::vector<Arm> arms;
  for (const auto& [name, arm] : kept) arms.push_back(arm);
  const Scheduler after(arms);
  for (const auto& [name, arm] : kept) {
    CHECK(arm.pulls > 0);
    CHECK(after.mean_rate(name) == before.mean_rate(name));
  }
}

TEST_CASE("the weight of an operator shifts the choice") {
  World world;
  world.arms["a"] = {.chance = 0.2, .reward = 1};
  world.arms["b"] = {.chance = 0.2, .reward = 1};
  Scheduler scheduler;
  int heavy = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string name = scheduler.choose({{.name = "a", .weight = 4}, {.name = "b"}}, seed);
    (void)scheduler.observe(name, world.pull(name), 0.001);
    heavy += name == "a" ? 1 : 0;
  }
  CHECK(heavy > 280);
}

TEST_CASE("a finding counts more than features, features more than validity") {
  const double invalid = Reward{}.points();
  const double valid = Reward{.valid = true}.points();
  const double feature = Reward{.valid = true, .new_features = 1}.points();
  const double known = Reward{.valid = true, .known_findings = 1}.points();
  const double flood = Reward{.valid = true, .new_features = 400}.points();
  const double finding = Reward{.valid = true, .findings = 1}.points();
  CHECK(invalid == 0);
  CHECK(valid > invalid);
  CHECK(feature > valid);
  CHECK(known > feature);
  CHECK(finding > flood);
}
