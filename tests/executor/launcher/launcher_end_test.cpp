// How a launched process ends, and that nothing it started outlives it.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "executor/process/process_tree.h"
#include "tests/catch.h"
#include "tests/executor/launcher/launched.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("launcher: it exits with Python's status") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  SECTION("with a status") {
    launched.send("sys.exit(7)");
    CHECK(launched.end().status == 7);
  }
  SECTION("by a signal") {
    launched.send("os.kill(os.getpid(), signal.SIGSEGV)");
    CHECK(launched.end().signal == SIGSEGV);
  }
  SECTION("by a signal that cannot be caught") {
    launched.send("os.kill(os.getpid(), signal.SIGKILL)");
    CHECK(launched.end().signal == SIGKILL);
  }
  SECTION("by an abort, without a core") {
    launched.send("os.abort()");
    CHECK(launched.end().signal == SIGABRT);
    for (const auto& entry : fs::directory_iterator(launched.scratch())) {
      CHECK_FALSE(entry.path().filename().string().starts_with("core"));
    }
  }
}

TEST_CASE("launcher: as PID 1 of a container, which no signal ends, it reports the signal") {
  const std::vector<std::string> first{"unshare", "--fork", "--pid", "--mount-proc"};
  if (std::system("unshare --fork --pid --mount-proc true 2>/dev/null") != 0) {
    WARN("SKIPPED: no namespaces for this user");
    return;
  }
  Launched launched(first);
  REQUIRE(launched.told() == "ready");
  launched.send("os.kill(os.getpid(), signal.SIGSEGV)");
  CHECK(launched.end().status == 128 + SIGSEGV);
}

TEST_CASE("launcher: closing the channel kills the process tree, grandchildren included") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  launched.process().close_input();
  CHECK(launched.end().signal == SIGKILL);
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: the process tree dies with the launcher") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  launched.close();
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: when asked to end it kills the process tree") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  kill(launched.process().pid(), SIGTERM);
  CHECK(launched.end().signal == SIGKILL);
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: without any namespace the process tree dies as well") {
  if (!can_forbid_namespaces()) {
    PARITYD_SKIP("namespaces cannot be forbidden here");
  }
  Launched launched(without_namespaces());
  SECTION("and says which layers are left") {
    const json environment = launched.ask("dict(os.environ)");
    for (const char* gone : {"user", "mount", "pid", "network", "ipc", "identity"}) {
      CHECK_FALSE(has_layer(environment, gone));
    }
    for (const char* left : {"no_new_privs", "session", "rlimits", "capabilities"}) {
      CHECK(has_layer(environment, left));
    }
    if (has_layer(environment, "landlock") && has_layer(environment, "seccomp")) {
      CHECK(json::parse(environment.at("PARITYD_SANDBOX").get<std::string>()).at("level") == "reduced");
    }
  }
  SECTION("when the channel closes") {
    const std::string mark = launched.leave_grandchild();
    launched.process().close_input();
    CHECK(launched.end().signal == SIGKILL);
    CHECK_FALSE(survivor_with(mark));
  }
  SECTION("when it is killed") {
    const std::string mark = launched.leave_grandchild();
    launched.close();
    CHECK_FALSE(survivor_with(mark));
  }
  SECTION("when Python ends") {
    const std::string mark = launched.leave_grandchild();
    kill(descendants(launched.process().pid()).at(0), SIGSEGV);
    CHECK(launched.end().signal == SIGSEGV);
    CHECK_FALSE(survivor_with(mark));
  }
}

TEST_CASE("launcher: Python may exit by itself when its channel closes") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  launched.process().close_input();
  CHECK(launched.end().signal == 0);
}
