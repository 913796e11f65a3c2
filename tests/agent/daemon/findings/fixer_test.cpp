// `parityd fix` beside the daemon, by a clock of the test's: which finding is next, what a failure and a budget delay.
// The command is a shell's; what parityd's would store is stored by the test.
#include "agent/daemon/findings/fixer.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/daemon/supply/booking.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace std::chrono_literals;

namespace {

class Scene {
 public:
  explicit Scene(std::string script) : script_(std::move(script)) {
    config.fix.automatic = true;
    add("one");
  }

  store::Id add(const std::string& name) {
    const auto program = tests::added(database, tests::a_program(name));
    auto finding = tests::a_finding(program.id, name);
    place_ = {.torch = finding.torch, .device = finding.device};
    return database.findings.add(finding);
  }

  void turn(bool may_begin = true) {
    agent::Outbox outbox;
    alarms.set_time(now, wall());
    fixer.advance(now, wall(), may_begin, {place_}, outbox);
    for (const auto& effect : outbox) effect();
  }

  /// Lets the command that runs end, or else the next one; the clock stands still.
  void settle() {
    if (!fixer.busy()) turn();
    for (int left = 12'000; fixer.busy() && left > 0; --left) {
      std::this_thread::sleep_for(10ms);
      turn(false);
    }
    REQUIRE_FALSE(fixer.busy());
  }

  void settle_after(std::chrono::seconds pause) {
    now += pause;
    settle();
  }

  void keep(store::Id finding, store::FixResult result, std::int64_t nano_dollars = 0) {
    database.fixes.keep({.finding = finding,
                         .at = wall(),
                         .result = result,
                         .nano_dollars = nano_dollars,
                         .torch = place_.torch,
                         .device = place_.device});
  }

  [[nodiscard]] store::Millis wall() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  }

  std::vector<store::Id> begun;
  std::optional<store::FixResult> stored;  // by the command; nullopt: none

 private:
  std::string script_;
  agent::FixPlace place_;

 public:
  tests::Folder folder;
  store::Store database{folder.database(), store::Access::write};
  std::vector<std::string> told;
  agent::Alarms alarms{database, [this](auto, auto, const std::string& text) { told.push_back(text); }};
  agent::Config config;
  agent::Fixer fixer{config,
                     [this](const agent::Config& /*config*/, store::Id finding) {
                       begun.push_back(finding);
                       if (stored) keep(finding, *stored);
                       return executor::ProcessOptions{.command = {"sh", "-c", script_},
                                                       .environment = {{"PATH", std::getenv("PATH")}}};
                     },
                     database, alarms};
  executor::TimePoint now = executor::TimePoint{} + 1000h;
};

}  // namespace

TEST_CASE("a change is asked for once for each ready finding, one at a time") {
  Scene scene("sleep 0.1; exit 1");
  scene.add("two");
  scene.stored = store::FixResult::stays;
  scene.turn();
  REQUIRE(scene.begun.size() == 1);
  CHECK(scene.fixer.busy());
  CHECK(scene.database.values.find(agent::kFixing).value_or("").find("\"finding\":") != std::string::npos);
  scene.settle();
  CHECK(scene.begun.size() == 1);
  CHECK(scene.database.values.find(agent::kFixing) == "");
  scene.settle();
  REQUIRE(scene.begun.size() == 2);
  CHECK(scene.begun[0] != scene.begun[1]);
  scene.settle_after(24h);
  scene.fixer.look_again();
  scene.settle();
  CHECK(scene.begun.size() == 2);
  CHECK(scene.told.empty());
}

TEST_CASE("nothing is asked for unless it is configured, and while nothing may begin") {
  Scene scene("exit 1");
  scene.config.fix.automatic = false;
  scene.turn();
  CHECK(scene.begun.empty());
  scene.config.fix.automatic = true;
  scene.fixer.reload();
  scene.turn(false);
  CHECK(scene.begun.empty());
  scene.turn();
  CHECK(scene.begun.size() == 1);
}

TEST_CASE("after a failure there is a pause, and a finding whose command fails three times is left") {
  Scene scene("echo no worker >&2; exit 3");
  scene.settle();
  REQUIRE(scene.told.size() == 1);
  CHECK(scene.told.back().find("finding 1: exit code 3: no worker; the next one begins in 60 s") != std::string::npos);
  CHECK(scene.alarms.holds(store::EventKind::fix_failed));
  scene.settle_after(59s);
  CHECK(scene.begun.size() == 1);
  scene.settle_after(1s);
  scene.settle_after(300s);
  CHECK(scene.begun == std::vector<store::Id>{1, 1, 1});
  const auto tries = scene.database.fixes.of(1);
  REQUIRE(tries.size() == 1);
  CHECK(tries[0].result == store::FixResult::unknown);
  CHECK(tries[0].why == "exit code 3: no worker");
  scene.settle_after(2h);
  CHECK(scene.begun.size() == 3);
}

TEST_CASE("a finding that no provider answered for is taken again, one that is judged is not") {
  Scene scene("exit 3");
  scene.stored = store::FixResult::no_answer;
  scene.settle();
  scene.settle_after(60s);
  CHECK(scene.begun == std::vector<store::Id>{1, 1});
  scene.stored = store::FixResult::unknown;  // answered, but a check could not be run
  scene.settle_after(300s);
  CHECK(scene.begun.size() == 3);
  scene.settle_after(2h);
  CHECK(scene.begun.size() == 3);
}

TEST_CASE("a spent budget is told once and waited for, until midnight") {
  Scene scene("exit 1");
  scene.config.fix.dollars_per_day = 1;
  scene.keep(1, store::FixResult::stays, 1'000'000'000);
  const auto second = scene.add("two");
  scene.settle();
  scene.settle_after(20min);
  CHECK(scene.begun.empty());
  REQUIRE(scene.told.size() == 1);
  CHECK(scene.told[0].find("fix: dollars_per_day = 1") != std::string::npos);
  CHECK(scene.alarms.holds(store::EventKind::budget_spent, "fix"));
  scene.now += 24h;
  scene.turn();
  CHECK(scene.begun == std::vector<store::Id>{second});
  CHECK_FALSE(scene.alarms.holds(store::EventKind::budget_spent, "fix"));
}

TEST_CASE("what changes cost counts in [budget], too") {
  Scene scene("exit 1");
  scene.config.fix.dollars_per_day = 0;
  scene.config.dollars_total = 1;
  CHECK_FALSE(agent::refuse_fix(scene.config, scene.database, 1'000, scene.wall()));
  scene.keep(1, store::FixResult::asked, 1'000'000'000);
  CHECK(agent::spent_since(scene.database, 0) == 1'000'000'000);
  const auto refused = agent::refuse_fix(scene.config, scene.database, 1'000, scene.wall());
  REQUIRE(refused);
  CHECK(refused->starts_with("budget: dollars_total = 1, $1.0000 of it is spent"));
}

TEST_CASE("a command that can ask nobody now leaves no mark on its finding") {
  Scene scene("echo budget >&2; exit 75");
  for (int times = 0; times < 5; ++times) scene.settle_after(1h);
  CHECK(scene.begun.size() == 5);
  CHECK(scene.database.fixes.of(1).empty());
}

TEST_CASE("a reload ends the pause") {
  Scene scene("exit 3");
  scene.settle();
  CHECK(scene.begun.size() == 1);
  scene.fixer.reload();
  CHECK_FALSE(scene.alarms.holds(store::EventKind::fix_failed));
  scene.turn();
  CHECK(scene.begun.size() == 2);
}

TEST_CASE("a stop ends the command, and nothing is begun or counted any more") {
  Scene scene("sleep 600");
  scene.turn();
  REQUIRE(scene.fixer.busy());
  scene.fixer.stop();
  scene.settle();
  scene.settle_after(2h);
  CHECK(scene.begun.size() == 1);
  CHECK(scene.told.empty());
  CHECK(scene.database.fixes.of(1).empty());
}
