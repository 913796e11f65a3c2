#include "agent/daemon/suspects.h"

#include <algorithm>

#include "agent/daemon/examiner.h"
#include "agent/daemon/share.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::agent;

TEST_CASE("suspects: new signatures first, then the oldest; one of a signature at a time") {
  Suspects suspects;
  suspects.add(1, "a", 0);
  suspects.add(2, "a", 0);
  suspects.add(3, "b", 0);
  CHECK(suspects.pending() == 3);
  CHECK(suspects.take(0) == 1);
  CHECK(suspects.take(0) == 3);  // "a" is being confirmed
  CHECK_FALSE(suspects.take(0));
  CHECK(suspects.in_gate(0) == 2);
  suspects.left(1);
  suspects.left(3);
  suspects.add(4, "b", 0);
  suspects.add(5, "c", 0);
  CHECK(suspects.take(0) == 5);  // its signature was never confirmed
  CHECK(suspects.take(0) == 2);
  suspects.left(4);  // finished without the gate
  CHECK_FALSE(suspects.take(0));
  CHECK(suspects.pending() == 0);
}

TEST_CASE("suspects: each group confirms its own, one of a signature in all of them") {
  Suspects suspects;
  suspects.add(1, "a", 0);
  suspects.add(2, "b", 1);
  suspects.add(3, "a", 1);
  CHECK(suspects.take(1) == 2);
  CHECK(suspects.take(1) == 3);
  CHECK(suspects.in_gate(1) == 2);
  CHECK(suspects.in_gate(0) == 0);
  CHECK_FALSE(suspects.take(0));  // "a" is being confirmed
  suspects.left(3);
  CHECK(suspects.take(0) == 1);
}

TEST_CASE("suspects: of too many the newest of the most frequent signature goes") {
  Suspects suspects(3);
  suspects.add(1, "a", 0);
  suspects.add(2, "b", 0);
  suspects.add(3, "b", 0);
  CHECK_FALSE(suspects.take_excess());
  suspects.add(4, "c", 0);
  CHECK(suspects.take_excess() == 3);
  CHECK_FALSE(suspects.take_excess());
}

TEST_CASE("confirming has its share of the time while programs wait, and all of it otherwise") {
  ConfirmationShare share(0.3);
  CHECK(share.may_confirm(0, true));  // the first need not wait for its share to come together
  share.spent(0, true, 200);
  CHECK_FALSE(share.may_confirm(0, true));
  CHECK(share.may_confirm(0, false));
  share.spent(0, false, 300);
  CHECK(share.may_confirm(0, true));
  share.spent(0, true, 100);
  CHECK_FALSE(share.may_confirm(0, true));
}

TEST_CASE("no more suspects are begun than confirming's share can bring to their end") {
  const ConfirmationShare share(0.3);
  CHECK(share.at_once(16, true) == 5);
  CHECK(share.at_once(16, false) == 16);
  CHECK(share.at_once(4, true) == 2);
  CHECK(share.at_once(1, true) == 1);
  CHECK(ConfirmationShare(0).at_once(16, true) == 2);
}

TEST_CASE("what one group spends on confirming leaves another its share") {
  ConfirmationShare share(0.3);
  share.spent(0, true, 200);
  CHECK_FALSE(share.may_confirm(0, true));
  CHECK(share.may_confirm(1, true));
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
