// The daemon's one place to wait: how soon it comes back.
#include "agent/daemon/loop/loop_clock.h"

#include <unistd.h>

#include <array>

#include "executor/confine/descriptor.h"
#include "tests/catch.h"

using namespace parityd;
using namespace std::chrono_literals;

TEST_CASE("messages of many workers that arrive one after another are waited for together") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const executor::Descriptor read(ends[0]), write(ends[1]);
  REQUIRE(::write(write.number(), "x", 1) == 1);
  const executor::Interest one{.descriptor = read.number(), .read = true};
  const executor::Interest set{.descriptor = read.number(), .read = true, .speakers = 399};
  const std::vector<executor::Interest> interests{one, set};
  agent::EventLoop loop;
  agent::SystemLoopClock clock(loop);
  clock.wait(interests, 60s);  // nothing was waited for before
  const auto before = clock.now();
  for (int turn = 0; turn < 5; ++turn) {
    clock.wait(interests, 60s);
  }
  CHECK(clock.now() - before >= 4 * 20ms);
  clock.wait(interests, 0s);  // who cannot wait does not
}
