// What each layer stops alone, with those that would stop it too switched off: none of them is decoration.
#include <unistd.h>

#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;

TEST_CASE("alone: namespaces") {
  const Victim victim;
  const json given{{"victim", victim.pid()}, {"all", false}};
  const auto options = only({"user", "pid", "ipc", "network", "uts", "cgroup"});
  const Told attack = Attack("row_11_kill", given, options).finish();
  if (!attack.has_layer("pid")) {
    PARITYD_SKIP("no pid namespace here");
  }
  CHECK(attack.outcome("victim") == "denied");
  CHECK(victim.alive());
  CHECK(Attack("row_11_kill", given, only({})).finish().outcome("victim") == "passed");
}

TEST_CASE("alone: the private tree") {
  const Outside outside;
  const json given{{"secret", outside.secret()}, {"link", outside.folder() / "link"}};
  const Told attack = Attack("row_05_stat_outside", given, only({"user", "mount"})).finish();
  if (!attack.has_layer("mount")) {
    PARITYD_SKIP("no private tree here");
  }
  CHECK(attack.outcome("stat") == "denied");
  CHECK(Attack("row_05_stat_outside", given, only({})).finish().outcome("stat") == "passed");
}

TEST_CASE("alone: seccomp") {
  const Told attack = Attack("row_01_sockets", {{"port", 9}}, only({"seccomp"})).finish();
  if (!attack.has_layer("seccomp")) {
    PARITYD_SKIP("no seccomp here");
  }
  CHECK(attack.passed().empty());
  CHECK(Attack("row_01_sockets", {{"port", 9}}, only({})).finish().outcome("AF_INET SOCK_STREAM") == "passed");
}

TEST_CASE("alone: Landlock") {
  const Outside outside;
  const json given{{"secret", outside.secret()}, {"folder", outside.folder()}};
  const Told attack = Attack("row_07_write_outside", given, only({"landlock"})).finish();
  if (!attack.has_layer("landlock")) {
    PARITYD_SKIP("no Landlock here");
  }
  CHECK(attack.passed().empty());
  CHECK(outside.untouched());
  const json files{{"files", {outside.secret()}}, {"folders", json::array()}};
  CHECK(Attack("row_04_read_outside", files, only({"landlock"})).finish().passed().empty());
  CHECK_FALSE(Attack("row_04_read_outside", files, only({})).finish().passed().empty());
}

TEST_CASE("alone: rlimits") {
  const json given{{"size", std::int64_t{1} << 30}, {"fill", false}};
  CHECK(Attack("row_15_file_bomb", given, only({"rlimits"})).finish().outcome("big file") == "denied");
  CHECK(Attack("row_15_file_bomb", given, only({})).finish().outcome("big file") == "passed");
}

TEST_CASE("alone: another identity") {
  const Outside outside;
  const Told attack = Attack("row_06_chmod_outside", {{"secret", outside.secret()}}, only({"identity"})).finish();
  if (!attack.has_layer("identity")) {
    PARITYD_SKIP("not started by root");
  }
  CHECK(attack.outcome("chmod") == "denied");
  CHECK(attack.outcome("chown") == "denied");
}

TEST_CASE("levels: what each level reports as missing is what is missing") {
  CHECK(Attack("row_09_processes", json::object(), {"--sandbox", "none"}).finish().level() == "none");
  const Told reduced = Attack("row_09_processes", json::object(), {"--without", "pid"}).finish();
  CHECK(reduced.level() == "reduced");
  CHECK_FALSE(reduced.has_layer("pid"));
  CHECK(Attack("row_09_processes", json::object(), {"--without", "seccomp"}).finish().level() == "none");
}

TEST_CASE("the sandbox leaves what CUDA's driver needs to start") {  // else cuInit fails with error 304
  const Told told = Attack("left_to_drivers", json::object()).finish();
  CHECK(told.outcome("name a thread") == "passed");
  CHECK(told.outcome("listen on an abstract socket") == "passed");
  CHECK(told.outcome("memory file") == "passed");
  CHECK(told.outcome("devices of the bus") == "passed");
}
