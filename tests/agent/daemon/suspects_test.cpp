#include "agent/daemon/suspects.h"

#include <algorithm>

#include "agent/daemon/examiner.h"
#include "agent/daemon/share.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::agent;

TEST_CASE("suspects: new signatures first, then the oldest; one of a signature at a time") {
  Suspects suspects;
  suspects.add(1, "a");
  suspects.add(2, "a");
  suspects.add(3, "b");
  CHECK(suspects.pending() == 3);
  CHECK(suspects.take() == 1);
  CHECK(suspects.take() == 3);  // "a" is being confirmed
  CHECK_FALSE(suspects.take());
  CHECK(suspects.in_gate() == 2);
  suspects.left(1);
  suspects.left(3);
  suspects.add(4, "b");
  suspects.add(5, "c");
  CHECK(suspects.take() == 5);  // its signature was never confirmed
  CHECK(suspects.take() == 2);
  suspects.left(4);  // finished without the gate
  CHECK_FALSE(suspects.take());
  CHECK(suspects.pending() == 0);
}

TEST_CASE("suspects: of too many the newest of the most frequent signature goes") {
  Suspects suspects(3);
  suspects.add(1, "a");
  suspects.add(2, "b");
  suspects.add(3, "b");
  CHECK_FALSE(suspects.take_excess());
  suspects.add(4, "c");
  CHECK(suspects.take_excess() == 3);
  CHECK_FALSE(suspects.take_excess());
}

TEST_CASE("confirming has its share of the time while programs wait, and all of it otherwise") {
  ConfirmationShare share(0.3);
  CHECK(share.may_confirm(true));  // the first need not wait for its share to come together
  share.spent(true, 200);
  CHECK_FALSE(share.may_confirm(true));
  CHECK(share.may_confirm(false));
  share.spent(false, 300);
  CHECK(share.may_confirm(true));
  share.spent(true, 100);
  CHECK_FALSE(share.may_confirm(true));
}

TEST_CASE("the closer look of whatever a rule may excuse runs what that rule asks for") {
  using oracle::Kind;
  using oracle::Mode;
  for (const Kind kind : {Kind::behaviour, Kind::missing_check, Kind::numerical, Kind::gradient}) {
    const auto modes = closer_modes(kind, Mode::inductor);
    for (const Mode mode : {Mode::eager_repeat, Mode::eager_noise, Mode::eager_watched, Mode::reference}) {
      CAPTURE(oracle::name(kind), oracle::name(mode));
      CHECK(std::find(modes.begin(), modes.end(), mode) != modes.end());
    }
    CHECK(modes.front() == Mode::eager);
  }
}
