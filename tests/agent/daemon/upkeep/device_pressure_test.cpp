// A device whose memory another job holds.
#include "agent/daemon/upkeep/device_pressure.h"

#include "tests/catch.h"

using namespace parityd;
using agent::DevicePressure;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE(
    "fault 44: a program that ran out of device memory is retried twice with fewer programs beside it for a while") {
  const executor::TimePoint start{minutes(1)};  // soon after a boot: the first group's entry is as old as the clock
  DevicePressure pressure;
  CHECK(pressure.allowed(0, 8, start) == 8);
  CHECK_FALSE(pressure.anyone_waits(start));
  REQUIRE(pressure.ran_short(7, 0, 8, start));
  CHECK(pressure.waits(7, start + seconds(4)));
  CHECK_FALSE(pressure.waits(8, start));
  CHECK_FALSE(pressure.waits(7, start + seconds(5)));
  CHECK(pressure.allowed(0, 8, start) == 4);
  CHECK(pressure.allowed(1, 8, start) == 8);  // another device
  REQUIRE(pressure.ran_short(7, 0, 8, start + seconds(6)));
  CHECK(pressure.waits(7, start + seconds(100)));
  CHECK(pressure.anyone_waits(start + seconds(100)));
  CHECK(pressure.allowed(0, 8, start + seconds(6)) == 2);
  CHECK_FALSE(pressure.ran_short(7, 0, 8, start + minutes(3)));  // judged as it is
  CHECK(pressure.allowed(0, 8, start + minutes(3)) == 1);
  CHECK(pressure.allowed(0, 8, start + minutes(9)) == 2);
  CHECK(pressure.allowed(0, 8, start + minutes(14)) == 4);
  CHECK(pressure.allowed(0, 8, start + minutes(60)) == 8);
  CHECK(pressure.allowed(0, 8, start + minutes(60 * 24 * 30)) == 8);
  pressure.finished(7);
  CHECK(pressure.ran_short(7, 0, 1, start + minutes(60)));
  CHECK(pressure.allowed(0, 1, start + minutes(60)) == 1);
}
