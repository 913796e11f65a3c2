// Free space and rights, given by the test: never those of the machine it runs on.
#include "agent/daemon/upkeep/disk.h"

#include "tests/catch.h"

using namespace parityd;
using agent::Disk;
using agent::DiskState;
using std::chrono::seconds;

namespace {

using agent::kMebibyte;

struct Machine {
  bool look() { return disk.look(now += seconds(10)); }

  DiskState state{.free_bytes = 1000 * kMebibyte};
  int asked = 0;
  executor::TimePoint now{};
  Disk disk{"/state", 400 * kMebibyte, [this](const auto&) {
              ++asked;
              return state;
            }};
};

}  // namespace

TEST_CASE(
    "fault 4: below the floor nothing is spent, below a quarter of it nothing starts, and a margin is needed to "
    "resume") {
  Machine machine;
  CHECK_FALSE(machine.look());
  CHECK(machine.disk.level() == Disk::Level::enough);
  CHECK(machine.disk.problem().empty());
  for (const auto& [free, level] : std::vector<std::pair<std::int64_t, Disk::Level>>{{400, Disk::Level::enough},
                                                                                     {399, Disk::Level::low},
                                                                                     {449, Disk::Level::low},
                                                                                     {450, Disk::Level::enough},
                                                                                     {99, Disk::Level::out},
                                                                                     {112, Disk::Level::out},
                                                                                     {113, Disk::Level::low},
                                                                                     {1000, Disk::Level::enough}}) {
    CAPTURE(free);
    machine.state.free_bytes = free * kMebibyte;
    const auto before = machine.disk.level();
    CHECK(machine.look() == (level != before));
    CHECK(machine.disk.level() == level);
    CHECK(machine.disk.problem().empty() == (level == Disk::Level::enough));
    CHECK_FALSE(machine.look());  // said once
  }
}

TEST_CASE("fault 4: the message names the folder, the free space, the floor and its key") {
  Machine machine;
  machine.state.free_bytes = 10 * kMebibyte;
  REQUIRE(machine.look());
  CHECK(machine.disk.problem() == "/state: 10.0 MiB free, less than [store] disk_floor (400.0 MiB); free some space");
}

TEST_CASE(
    "fault 7: an unwritable folder stops whatever would write, gives the reason, and is not probed all the time") {
  Machine machine;
  machine.state.unwritable = "Permission denied";
  REQUIRE(machine.look());
  CHECK(machine.disk.level() == Disk::Level::out);
  CHECK(machine.disk.read_only());
  CHECK(machine.disk.problem() == "/state: Permission denied; make it writable for parityd");
  const int asked = machine.asked;
  for (int turn = 0; turn < 1000; ++turn) {
    CHECK_FALSE(machine.disk.look(machine.now));
  }
  CHECK(machine.asked == asked);
  machine.state.unwritable.clear();
  REQUIRE(machine.look());
  CHECK(machine.disk.level() == Disk::Level::enough);
  CHECK_FALSE(machine.disk.read_only());
}

TEST_CASE("fault 4: with a floor of zero only permissions are checked") {
  DiskState state{.free_bytes = 0};
  Disk disk("/state", 0, [&](const auto&) { return state; });
  CHECK_FALSE(disk.look(executor::TimePoint{} + seconds(10)));
  CHECK(disk.level() == Disk::Level::enough);
}

TEST_CASE("the probe reports what the system knows about a folder") {
  const auto state = agent::probe_disk("/proc/self");
  CHECK_FALSE(state.unwritable.empty());
  CHECK_FALSE(agent::probe_disk("/is/not/there").unwritable.empty());
}

TEST_CASE("bytes are printed with their unit") {
  CHECK(agent::in_bytes(7) == "7 bytes");
  CHECK(agent::in_bytes(1536) == "1.5 KiB");
  CHECK(agent::in_bytes(std::int64_t{3} << 40) == "3.0 TiB");
}
