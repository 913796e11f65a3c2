#include "agent/daemon/program/suspects.h"

#include <algorithm>

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/supply/share.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::agent;

namespace {

const SeenOn kGpu{.torch = "2.11", .python = "3.12", .device = "cuda", .device_name = "H100"};
const SeenOn kProcessor{.torch = "2.11", .python = "3.12", .device = "cpu", .device_name = "Xeon"};

void add(Suspects& suspects, store::Id program, const std::string& signature, const SeenOn& seen_on = kGpu) {
  suspects.add(program, signature, seen_on, false);
}

std::optional<store::Id> pop(Suspects& suspects, executor::GroupIndex group = 0, const SeenOn& runs_on = kGpu) {
  return suspects.pop(group, [&](const SeenOn& seen) { return seen == runs_on; });
}

std::optional<store::Id> take_shown(Suspects& suspects, executor::GroupIndex group = 0) {
  return suspects.take_shown(group, [](const SeenOn& seen) { return seen == kGpu; });
}

}  // namespace

TEST_CASE("suspects: new signatures come first, then the oldest, one suspect per signature at a time") {
  Suspects suspects;
  add(suspects, 1, "a");
  add(suspects, 2, "a");
  add(suspects, 3, "b");
  CHECK(suspects.pending() == 3);
  CHECK(pop(suspects) == 1);
  CHECK(pop(suspects) == 3);  // "a" is being confirmed
  CHECK_FALSE(pop(suspects));
  CHECK(suspects.confirming(0, Suspects::Place::first) == 2);
  suspects.left(1);
  suspects.left(3);
  add(suspects, 4, "b");
  add(suspects, 5, "c");
  CHECK(pop(suspects) == 5);  // its signature was never confirmed
  CHECK(pop(suspects) == 2);
  suspects.left(4);  // finished without confirmation
  CHECK_FALSE(pop(suspects));
  CHECK(suspects.pending() == 0);
}

TEST_CASE("suspects: each is confirmed on the device that showed it, one per signature over all devices") {
  Suspects suspects;
  add(suspects, 1, "a");
  add(suspects, 2, "b", kProcessor);
  add(suspects, 3, "a", kProcessor);
  CHECK(pop(suspects, 1, kProcessor) == 2);
  CHECK(pop(suspects, 1, kProcessor) == 3);
  CHECK(suspects.confirming(1, Suspects::Place::first) == 2);
  CHECK(suspects.confirming(0, Suspects::Place::first) == 0);
  CHECK_FALSE(pop(suspects, 0, kGpu));  // "a" is being confirmed
  suspects.left(3);
  CHECK(pop(suspects, 0, kGpu) == 1);
}

TEST_CASE("suspects: two groups on the same GPU model share suspects") {
  Suspects suspects;
  add(suspects, 1, "a");
  add(suspects, 2, "b");
  CHECK(pop(suspects, 0) == 1);
  CHECK(pop(suspects, 1) == 2);
  CHECK(suspects.confirming(0, Suspects::Place::first) == 1);
  CHECK(suspects.confirming(1, Suspects::Place::first) == 1);
}

TEST_CASE("suspects: a confirmed suspect waits to be reduced and blocks others of its signature") {
  Suspects suspects;
  add(suspects, 1, "a");
  add(suspects, 2, "b");
  add(suspects, 3, "a");
  CHECK(pop(suspects) == 1);
  CHECK(pop(suspects, 1) == 2);
  CHECK_FALSE(take_shown(suspects));
  suspects.shown(1);
  suspects.shown(2);
  CHECK(suspects.confirming(0, Suspects::Place::first) == 0);
  CHECK(suspects.confirming(0, Suspects::Place::shown) == 1);
  CHECK_FALSE(pop(suspects));
  CHECK(take_shown(suspects, 1) == 1);  // like the group that saw it
  CHECK(suspects.is_confirming(1, Suspects::Place::reducing));
  CHECK(suspects.confirming(1, Suspects::Place::reducing) == 1);
  CHECK(take_shown(suspects) == 2);
  CHECK_FALSE(take_shown(suspects));
  suspects.left(1);
  CHECK(pop(suspects) == 3);
}

TEST_CASE("suspects: one that a restart interrupted is reduced first") {
  Suspects suspects;
  add(suspects, 1, "a");
  suspects.add(2, "b", kGpu, true);
  suspects.add(3, "c", kProcessor, true);
  add(suspects, 4, "b");  // may be the same finding
  CHECK(pop(suspects) == 1);
  CHECK_FALSE(pop(suspects));
  suspects.shown(1);
  CHECK(take_shown(suspects) == 2);
  CHECK(take_shown(suspects) == 1);
  CHECK_FALSE(take_shown(suspects));  // seen on something else
}

TEST_CASE("suspects: one that a restart interrupted is not set aside as one of many") {
  Suspects suspects(2);
  add(suspects, 1, "a");
  suspects.add(2, "b", kGpu, true);
  suspects.add(3, "b", kGpu, true);
  CHECK(suspects.take_excess() == 1);
}

TEST_CASE("suspects: over the limit the newest suspect of the most frequent signature is dropped") {
  Suspects suspects(3);
  add(suspects, 1, "a");
  add(suspects, 2, "b");
  add(suspects, 3, "b");
  CHECK_FALSE(suspects.take_excess());
  add(suspects, 4, "c");
  CHECK(suspects.take_excess() == 3);
  CHECK_FALSE(suspects.take_excess());
}

TEST_CASE("confirmation has its share of the time while programs wait, and all of it otherwise") {
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

TEST_CASE("no more suspects are started than the share of confirmation can finish") {
  const ConfirmationShare share(0.3);
  CHECK(share.at_once(16, true) == 5);
  CHECK(share.at_once(16, false) == 16);
  CHECK(share.at_once(4, true) == 2);
  CHECK(share.at_once(1, true) == 1);
  CHECK(ConfirmationShare(0).at_once(16, true) == 2);
}

TEST_CASE("the time that one group spends on confirmation leaves the share of another unchanged") {
  ConfirmationShare share(0.3);
  share.spent(0, true, 200);
  CHECK_FALSE(share.may_confirm(0, true));
  CHECK(share.may_confirm(1, true));
}

TEST_CASE("control runs include the runs that a possible excuse asks for") {
  using oracle::Kind;
  using oracle::Mode;
  for (const Kind kind : {Kind::behaviour, Kind::missing_check, Kind::numerical, Kind::gradient}) {
    const auto modes = control_modes(kind, Mode::inductor);
    for (const Mode mode : {Mode::eager_repeat, Mode::eager_noise, Mode::eager_watched, Mode::reference}) {
      CAPTURE(oracle::name(kind), oracle::name(mode));
      CHECK(std::find(modes.begin(), modes.end(), mode) != modes.end());
    }
    CHECK(modes.front() == Mode::eager);
  }
}
