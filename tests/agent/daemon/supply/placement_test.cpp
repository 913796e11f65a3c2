#include "agent/daemon/supply/placement.h"

#include "tests/catch.h"

using parityd::agent::Placement;

namespace {

std::vector<int> place(Placement& placement, const std::vector<Placement::Group>& groups, int programs) {
  std::vector<int> taken(groups.size());
  for (int program = 0; program < programs; ++program) {
    const auto chosen = placement.choose(groups);
    REQUIRE(chosen.has_value());
    placement.placed(*chosen);
    ++taken.at(*chosen);
  }
  return taken;
}

}  // namespace

TEST_CASE("programs are distributed over groups by share") {
  Placement placement;
  const auto taken =
      place(placement, {{.share = 0.85, .workers = 12, .free = 1}, {.share = 0.15, .workers = 4, .free = 1}}, 1000);
  CHECK(taken.at(0) >= 840);
  CHECK(taken.at(0) <= 860);
}

TEST_CASE("a single group gets all programs whatever its share") {
  Placement placement;
  CHECK(place(placement, {{.share = 0.001, .workers = 1, .free = 3}}, 10).at(0) == 10);
}

TEST_CASE("a group may run ahead of its share by one program per worker") {
  Placement placement;
  const std::vector<Placement::Group> groups{{.share = 0.85, .workers = 12, .free = 0},
                                             {.share = 0.15, .workers = 4, .free = 1}};
  int taken = 0;
  while (const auto chosen = placement.choose(groups)) {
    REQUIRE(*chosen == 1);
    placement.placed(*chosen);
    REQUIRE(++taken < 100);
  }
  CHECK(taken >= 4);
  CHECK(taken <= 6);
}

TEST_CASE("the group with the largest share does not idle because another falls behind") {
  Placement placement;
  const auto taken =
      place(placement, {{.share = 0.85, .workers = 12, .free = 1}, {.share = 0.15, .workers = 4, .free = 0}}, 1000);
  CHECK(taken.at(0) == 1000);
  CHECK(place(placement, {{.share = 0.85, .workers = 12, .free = 1}, {.share = 0.15, .workers = 4, .free = 1}}, 100)
            .at(1) == 100);  // what it could not take it catches up on
}

TEST_CASE("the share of a broken group goes to the others") {
  Placement placement;
  CHECK(place(placement,
              {{.share = 0.85, .workers = 12, .free = 5, .broken = true}, {.share = 0.15, .workers = 4, .free = 1}},
              100)
            .at(1) == 100);
}

TEST_CASE("no group is chosen while none is free") {
  const Placement placement;
  CHECK_FALSE(placement.choose({{.share = 1, .workers = 2, .free = 0}}).has_value());
  CHECK_FALSE(placement.choose({}).has_value());
}
