// Repair or drop, and parents of mutants, against worlds whose worth is known.
#include "agent/daemon/supply/choices.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace parityd::agent;

namespace {

struct Worth {
  double chance = 0, points = 1, dollars = 0.001;
};

/// New programs fail with one error or another; a repair of each brings something with a chance of its own.
struct World {
  std::map<std::string, Worth> repairs;
  Worth fresh{.chance = 0.3};  // a program that is valid at once
  std::mt19937_64 random{7};

  double pull(const Worth& worth) { return std::bernoulli_distribution(worth.chance)(random) ? worth.points : 0; }
};

struct Earned {
  double points = 0, dollars = 0;
  std::map<std::string, int> repaired;
  [[nodiscard]] double rate() const { return points / dollars; }
};

/// `decide`: whether the error's program is repaired.
template <class Decide>
Earned earn(World& world, Choices& choices, int programs, const Decide& decide) {
  Earned earned;
  const auto add = [&](double points, double dollars) {
    earned.points += points;
    earned.dollars += dollars;
  };
  for (int program = 0; program < programs; ++program) {
    const double points = world.pull(world.fresh);
    add(points, world.fresh.dollars);
    (void)choices.generated("any", points, world.fresh.dollars);
    if (points > 0) continue;
    auto failed = world.repairs.begin();
    std::advance(failed, std::uniform_int_distribution<std::size_t>(0, world.repairs.size() - 1)(world.random));
    if (!decide(failed->first, static_cast<std::uint64_t>(program))) continue;
    choices.repair_asked(failed->first);
    const double mended = world.pull(failed->second);
    add(mended, failed->second.dollars);
    (void)choices.repaired("any", failed->first, mended, failed->second.dollars);
    earned.repaired[failed->first] += 1;
  }
  return earned;
}

World errors() {
  World world;
  world.repairs["easy"] = {.chance = 0.9};
  world.repairs["hopeless"] = {.chance = 0.02};
  world.repairs["dear"] = {.chance = 0.9, .dollars = 0.02};
  world.repairs["hard"] = {.chance = 0.05};
  return world;
}

}  // namespace

TEST_CASE("the first programs of every error are repaired, whatever comes of it") {
  Choices choices;
  for (int program = 0; program < 1000; ++program) (void)choices.generated("any", 1, 0.001);
  for (int repair = 0; repair < Choices::kFirstRepairs; ++repair) {
    CHECK(choices.worth_repairing("any error", static_cast<std::uint64_t>(repair)));
    (void)choices.repaired("any", "any error", 0, 0.001);
  }
  int more = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) more += choices.worth_repairing("any error", seed) ? 1 : 0;
  CHECK(more < 50);
}

TEST_CASE("it repairs what is worth it: more a dollar than repairing all, none, or by the toss of a coin") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    const auto rate = [&](const auto& decide) {
      World world = errors();
      world.random.seed(seed);
      Choices choices;
      return earn(world, choices, 3000,
                  [&](const auto& error, std::uint64_t draw) { return decide(choices, error, draw + 100'000 * seed); })
          .rate();
    };
    const double learnt =
        rate([](const Choices& choices, const auto& error, auto draw) { return choices.worth_repairing(error, draw); });
    CHECK(learnt > 1.5 * rate([](const auto&, const auto&, auto) { return true; }));
    CHECK(learnt > 1.5 * rate([](const auto&, const auto&, auto draw) { return draw % 2 == 0; }));
    CHECK(learnt > 1.02 * rate([](const auto&, const auto&, auto) { return false; }));
  }
}

TEST_CASE("an error that can be repaired no more is dropped, one that can be is found again") {
  World world = errors();
  Choices choices;
  const auto learnt = [&](const auto& error, std::uint64_t draw) { return choices.worth_repairing(error, draw); };
  const Earned before = earn(world, choices, 3000, learnt);
  CHECK(before.repaired.at("easy") > 4 * before.repaired.at("hopeless"));
  world.repairs["easy"].chance = 0;
  world.repairs["hard"].chance = 0.9;
  (void)earn(world, choices, 4000, learnt);
  const Earned after = earn(world, choices, 3000, learnt);
  CHECK(after.repaired.at("hard") > 4 * after.repaired.at("easy"));
}

TEST_CASE("a repair that lost what was to be tested is none, and its strategy has the program") {
  Choices choices;
  const auto changed = choices.repaired("views", "dtype", 5, 0.5, false);
  REQUIRE(changed.size() == 3);
  CHECK(changed[0].name == "repair/dtype");
  CHECK(changed[0].reward == 0);
  CHECK(changed[0].cost == 0.5);
  CHECK(changed[2].name == "strategy/views");
  CHECK(changed[2].reward == 5);
  CHECK(changed[2].pulls == 0);
  CHECK(choices.repaired("", "dtype", 5, 0.5).size() == 1);  // of a program that somebody queued
}

TEST_CASE("mutants are bred of those whose mutants bring most, and of others once these dry up") {
  Choices choices;
  std::mt19937_64 random(3);
  const ParentKind rich = parent_kinds()[4];
  const ParentKind late = parent_kinds()[7];
  const auto breed = [&](int mutants, const ParentKind& best, std::uint64_t seed) {
    int of_best = 0;
    for (int mutant = 0; mutant < mutants; ++mutant) {
      const ParentKind chosen = choices.parent(parent_kinds(), seed + static_cast<std::uint64_t>(mutant));
      of_best += chosen == best ? 1 : 0;
      const double chance = chosen == best ? 0.3 : 0.05;
      (void)choices.bred(chosen, 0.1 + (std::bernoulli_distribution(chance)(random) ? 1 : 0), 0.0002);
    }
    return static_cast<double>(of_best) / mutants;
  };
  CHECK(breed(2000, rich, 1) > 0.4);  // uniform choice: one in twelve
  (void)breed(2000, late, 10'000);
  CHECK(breed(2000, late, 20'000) > 0.4);
}

TEST_CASE("what is learnt is kept across a restart, each choice's arms apart") {
  Choices before;
  std::map<std::string, Arm> kept;
  const auto keep = [&](const std::vector<Arm>& arms) {
    for (const Arm& arm : arms) kept[arm.name] = arm;
  };
  for (int pull = 0; pull < 40; ++pull) {
    keep(before.generated("views", pull % 3, 0.001));
    keep(before.repaired("views", "dtype", pull % 2, 0.002));
    keep(before.bred({.origin = parityd::store::Origin::mutant, .reached_new = true}, pull % 5, 0.0001));
  }
  std::vector<Arm> arms;
  for (const auto& [name, arm] : kept) arms.push_back(arm);
  CHECK(arms.size() == 4);
  const Choices after(arms);
  CHECK(after.strategies().mean_rate("strategy/views") == before.strategies().mean_rate("strategy/views"));
  CHECK(after.repairs().mean_rate("repair/dtype") == before.repairs().mean_rate("repair/dtype"));
  CHECK(after.repairs().mean_rate(kNewProgram) == before.repairs().mean_rate(kNewProgram));
  CHECK(after.parents().mean_rate("parent/mutant, something new") ==
        before.parents().mean_rate("parent/mutant, something new"));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(after.worth_repairing("dtype", seed) == before.worth_repairing("dtype", seed));
  }
}
