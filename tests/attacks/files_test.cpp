// Rows 4 to 7, 15, 19 and 25: files, and what outlives a process.
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>

#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("row 04: read the home folder, a key, the store, another program's scratch") {
  const Outside outside;  // stands for all of them: a sandbox knows no path of the daemon's but its own
  const json given{{"files", {outside.secret(), "/etc/shadow", "/etc/hostname", "/root/.bash_history"}},
                   {"folders", {outside.folder(), "/root", "/home", "/var/lib", "/run"}}};
  CHECK(Attack("row_04_read_outside", given).finish().passed().empty());
  const Told open = Attack("row_04_read_outside", given, {"--sandbox", "none"}).finish();
  CHECK(open.outcome(outside.secret()) == "passed");
}

TEST_CASE("row 05: stat outside") {
  const Outside outside;
  const json given{{"secret", outside.secret()}, {"link", outside.folder() / "link"}};
  const Told attack = Attack("row_05_stat_outside", given).finish();
  if (!attack.has_layer("mount")) {
    PARITYD_SKIP("no private tree here, and Landlock does not cover stat");
  }
  CHECK(attack.passed().empty());
  CHECK(Attack("row_05_stat_outside", given, {"--sandbox", "none"}).finish().outcome("stat") == "passed");
}

TEST_CASE("row 06: chmod outside") {
  const Outside outside;
  const json given{{"secret", outside.secret()}};
  const Told attack = Attack("row_06_chmod_outside", given).finish();
  if (!attack.has_layer("mount") && !attack.has_layer("identity")) {
    PARITYD_SKIP("neither a private tree nor another user here, and Landlock does not cover chmod");
  }
  CHECK(attack.passed().empty());
  CHECK(outside.untouched());
  CHECK(Attack("row_06_chmod_outside", given, {"--sandbox", "none"}).finish().outcome("chmod") == "passed");
}

TEST_CASE("row 07: write, make, link and remove outside") {
  const Outside outside;
  const json given{{"secret", outside.secret()}, {"folder", outside.folder()}};
  CHECK(Attack("row_07_write_outside", given).finish().passed().empty());
  CHECK(outside.untouched());
}

TEST_CASE("row 15: a big file, many files") {
  const json given{{"size", std::int64_t{1} << 30}, {"fill", true}};
  const Told attack = Attack("row_15_file_bomb", given).finish();
  CHECK(attack.outcome("big file") == "denied");
  CHECK(attack.outcome("many files") == "denied");
  const json sparse{{"size", std::int64_t{1} << 30}, {"fill", false}};
  CHECK(Attack("row_15_file_bomb", sparse, {"--without", "rlimits"}).finish().outcome("big file") == "passed");
}

TEST_CASE("row 19: inherited descriptors") {
  const Outside outside;
  const std::vector<std::string> leak{"sh", "-c", "exec 7<" + outside.secret().string() + R"(; exec "$@")", "sh"};
  const Told attack = Attack("row_19_descriptors", json::object(), {}, leak).finish();
  CHECK(attack.passed().empty());
}

TEST_CASE("row 25: shared memory left behind") {
  const int key = 0x70000000 + getpid();
  static_cast<void>(Attack("row_25_shared_memory", {{"key", key}, {"plant", true}}).finish());
  const Told found = Attack("row_25_shared_memory", {{"key", key}, {"plant", false}}).finish();
  if (!found.has_layer("ipc")) {
    PARITYD_SKIP("no ipc namespace here");
  }
  CHECK(found.passed().empty());
  CHECK(shmget(key, 0, 0) == -1);
  static_cast<void>(Attack("row_25_shared_memory", {{"key", key}, {"plant", true}}, {"--sandbox", "none"}).finish());
  CHECK(Attack("row_25_shared_memory", {{"key", key}, {"plant", false}}, {"--sandbox", "none"})
            .finish()
            .outcome("segment") == "passed");
  shmctl(shmget(key, 0, 0), IPC_RMID, nullptr);
  fs::remove("/dev/shm/parityd-attack-" + std::to_string(key));
}
