#include "agent/daemon/program/newness.h"

#include "tests/catch.h"

using parityd::agent::Newness;

TEST_CASE("newness: a program has much that is new if it is in the newest share of recent programs") {
  Newness newness(0.25);
  for (std::size_t fresh = 1; fresh < Newness::kFewest; ++fresh) newness.note("", fresh);
  CHECK(newness.much("") > 1'000'000);  // too few to tell
  for (std::size_t fresh = Newness::kFewest; fresh <= 100; ++fresh) newness.note("", fresh);
  CHECK(newness.much("") == 76);  // 76 to 100
  newness.set_share(0.01);
  CHECK(newness.much("") == 100);
  newness.set_share(0);
  CHECK(newness.much("") > 1'000'000);
  newness.set_share(1);
  CHECK(newness.much("") == 1);
}

TEST_CASE(
    "newness: at most the share of programs counts as new however alike they are, and old programs are forgotten") {
  Newness newness(0.25);
  for (std::size_t number = 0; number < Newness::kLast; ++number) newness.note("", 50);
  CHECK(newness.much("") == 51);
  for (std::size_t number = 0; number < Newness::kLast; ++number) newness.note("", number % 8 == 0 ? 3 : 0);
  CHECK(newness.much("") == 1);
  newness.set_share(0.1);
  CHECK(newness.much("") == 4);
}

TEST_CASE("newness: programs are compared with those of the same settings") {
  Newness newness(0.25);
  for (std::size_t number = 0; number < 100; ++number) newness.note("", number % 8);
  CHECK(newness.much("inductor_freezing") > 1'000'000);
  for (std::size_t number = 0; number < 100; ++number) newness.note("inductor_freezing", 50 + number % 8);
  CHECK(newness.much("") == 6);
  CHECK(newness.much("inductor_freezing") == 56);
}
