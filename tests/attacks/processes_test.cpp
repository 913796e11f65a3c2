// Rows 8 to 13, 17: other processes, and processes that do not want to end.
#include <unistd.h>

#include <csignal>

#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;

TEST_CASE("row 08: read the environment of parents") {
  const std::string canary = "canary-" + std::to_string(getpid());
  const json given{{"canary", canary}, {"daemon", getpid()}};
  const Told attack = Attack("row_08_parents_environment", given, {}, {}, {{"API_KEY", canary}}).finish();
  CHECK(attack.passed().empty());
  CHECK(attack.outcome("done") == "passed");
  const Told open =
      Attack("row_08_parents_environment", given, {"--sandbox", "none"}, {}, {{"API_KEY", canary}}).finish();
  CHECK_FALSE(open.passed().empty());  // the launcher's own, for a program of the same user
}

TEST_CASE("row 09: list processes") {
  const Told attack = Attack("row_09_processes", json::object()).finish();
  if (!attack.has_layer("pid")) {
    PARITYD_SKIP("no pid namespace here");
  }
  CHECK(attack.detail("list") == "2");  // itself and its init
  CHECK(Attack("row_09_processes", json::object(), {"--sandbox", "none"}).finish().detail("list") != "2");
}

TEST_CASE("row 10: trace a process, read its memory") {
  const Victim victim;
  CHECK(Attack("row_10_trace", {{"victim", victim.pid()}, {"self", true}}).finish().passed().empty());
  const json given{{"victim", victim.pid()}, {"self", false}};
  CHECK(Attack("row_10_trace", given, {"--sandbox", "none"}).finish().outcome("attach") == "passed");
}

TEST_CASE("row 11: kill the daemon, its group and everybody") {
  const Victim victim;
  Attack attack("row_11_kill", {{"victim", victim.pid()}, {"all", true}});
  if (!attack.has_layer("pid")) {
    PARITYD_SKIP("no pid namespace here");
  }
  attack.wait_for("everybody");
  attack.end();
  CHECK(victim.alive());
  CHECK(attack.outcome("victim") == "denied");
  static_cast<void>(Attack("row_11_kill", {{"victim", victim.pid()}, {"all", false}}, {"--sandbox", "none"}).finish());
  CHECK(victim.dies());
}

TEST_CASE("row 12: a fork bomb") {
  Attack attack("row_12_fork_bomb", {{"most", 600}});
  if (!attack.has_layer("user")) {
    PARITYD_SKIP("no user namespace here, so that processes are counted over all the user runs");
  }
  if (getuid() == 0 && !attack.has_layer("identity")) {
    PARITYD_SKIP("root that cannot become somebody else is counted by no limit");
  }
  attack.wait_for("fork");
  CHECK(attack.outcome("fork") == "denied");
  attack.end();
}

TEST_CASE("row 13: a grandchild in a session of its own") {
  for (const char* level : {"auto", "none"}) {
    CAPTURE(level);
    Attack attack("row_13_grandchild", json::object(), {"--sandbox", level});
    attack.wait_for("left");
    const std::string mark = attack.detail("left");
    attack.end();
    CHECK_FALSE(executor::test::survivor_with(mark));
  }
}

TEST_CASE("row 17: endless loops, a held interpreter lock, blocked signals") {
  for (const char* how : {"python", "lock held", "signals blocked"}) {
    CAPTURE(how);
    Attack attack("row_17_hang", {{"how", how}});
    attack.wait_for("hangs");
    CHECK(attack.end().signal == SIGKILL);
  }
}
