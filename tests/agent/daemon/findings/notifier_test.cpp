// The operator's command for ready findings, by a clock of the test's: tries, pauses, a configuration that changes.
#include "agent/daemon/findings/notifier.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace std::chrono_literals;

namespace {

struct Scene {
  explicit Scene(std::vector<std::string> command) {
    config.command = std::move(command);
    config.timeout_seconds = 3600;  // of the test's clock
    const auto program = tests::added(database, tests::a_program("one"));
    database.findings.add(tests::a_finding(program.id, "one"));
  }

  void turn() {
    agent::Outbox outbox;
    const auto wall = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    alarms.set_time(now, wall);
    (void)notifier.advance(now, wall, true, outbox);
    for (const auto& effect : outbox) effect();
  }

  /// Turns while the clock stands still, until no command runs.
  void settle() {
    turn();
    for (int left = 12'000; notifier.running() && left > 0; --left) {
      std::this_thread::sleep_for(10ms);
      turn();
    }
    REQUIRE_FALSE(notifier.running());
  }

  void settle_after(std::chrono::seconds pause) {
    now += pause;
    settle();
  }

  tests::Folder folder;
  store::Store database{folder.database(), store::Access::write};
  std::vector<std::string> told;
  agent::Alarms alarms{database, [this](auto, auto, const std::string& text) { told.push_back(text); }};
  agent::NotifyConfig config;
  agent::Notifier notifier{config, {.facts = nullptr, .state = folder.path()}, database, alarms};
  executor::TimePoint now = executor::TimePoint{} + 1h;
};

}  // namespace

TEST_CASE("a failed notification is tried three times with pauses, then given up") {
  Scene scene({"sh", "-c", "echo attempt $PARITYD_ATTEMPT >&2; exit 3"});
  scene.settle();
  REQUIRE(scene.told.size() == 1);
  CHECK(scene.told.back().find("try 1 of 3: exit code 3: attempt 1") != std::string::npos);
  scene.settle_after(59s);
  CHECK(scene.database.notifications.open().front().attempts == 1);
  scene.settle_after(1s);
  CHECK(scene.database.notifications.open().front().attempts == 2);
  scene.settle_after(299s);
  CHECK(scene.database.notifications.open().front().attempts == 2);
  scene.settle_after(1s);
  CHECK(scene.database.notifications.open().empty());
  scene.settle_after(24h);
  CHECK(scene.database.notifications.begun(0, INT64_MAX) == 1);  // a row a finding: the last try's
  scene.alarms.write();
  REQUIRE(scene.database.alarms.all().size() == 1);
  CHECK(scene.database.alarms.all().front().times == 3);
  CHECK(scene.database.alarms.all().front().text.find("try 3 of 3: exit code 3: attempt 3") != std::string::npos);
}

TEST_CASE("a notification command that cannot be started counts as a failed try") {
  Scene scene({"/no/such/program"});
  scene.settle();
  REQUIRE(scene.told.size() == 1);
  CHECK(scene.told.back().find("/no/such/program") != std::string::npos);
  CHECK(scene.database.notifications.open().front().attempts == 1);
}

TEST_CASE("a notification command removed from the configuration is not retried") {
  Scene scene({"sh", "-c", "exit 3"});
  scene.turn();  // it runs
  REQUIRE(scene.notifier.running());
  scene.config.command.clear();
  scene.notifier.look_again();
  scene.settle();
  REQUIRE(scene.told.size() == 1);
  scene.settle_after(60s);
  CHECK(scene.told.size() == 1);
  CHECK_FALSE(scene.notifier.busy());
}

TEST_CASE("the number of commands started per hour is limited") {
  Scene scene({"true"});
  scene.config.per_hour = 1;
  const auto program = tests::added(scene.database, tests::a_program("two"));
  scene.database.findings.add(tests::a_finding(program.id, "two"));
  scene.settle();
  scene.settle_after(59min);
  CHECK(scene.database.notifications.open().size() == 1);
  scene.settle_after(2min);
  CHECK(scene.database.notifications.open().empty());
  CHECK(scene.told.empty());
}
