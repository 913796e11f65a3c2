#include "executor/pool/pool.h"

#include <csignal>
#include <filesystem>

#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/text.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using parityd::oracle::Mode;
using parityd::oracle::Step;
using std::chrono::milliseconds;

namespace {

using parityd::tests::contains;

/// Short for a person, long for what a loaded machine makes of a step that does nothing.
constexpr milliseconds kShort(6'000);
constexpr milliseconds kSilence(4'000);  // of a heart that beats twenty times a second

void with_short_deadlines(GroupConfig& config) {
  config.deadlines.program = kShort;
  config.deadlines.compile = kShort;
}

}  // namespace

TEST_CASE("a submitted program is given to an idle worker before the loop waits") {
  FakePool pool;
  pool.until([&] { return pool->counts().warm_ready == 1; });
  const JobId id = pool.next_id();
  pool->submit(Job{.id = id, .program = "", .modes = {Mode::eager}}, Clock::now());
  CHECK(pool->counts().queued == 1);
  pool->hand_out(Clock::now());
  CHECK(pool->counts().warm_busy == 1);
  CHECK(pool->counts().queued == 0);
  CHECK(pool.result_of(id).harness_failure.empty());
}

TEST_CASE("a warm worker runs program after program") {
  FakePool pool;
  const auto first = pool.run("# fake: value eager=1.0 inductor=2.0\n");
  const auto second = pool.run("# fake: value eager=3.0\n");
  CHECK(first.harness_failure.empty());
  CHECK_FALSE(first.death.has_value());
  REQUIRE(first.evidence.measurement(Mode::eager, Mode::inductor) != nullptr);
  CHECK(first.evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).unequal == 1);
  CHECK(second.evidence.measurement(Mode::eager, Mode::inductor)->leaves.at(0).unequal == 0);
  CHECK(pool->counts().started == 1);
  CHECK(pool->counts().warm_ready == 1);
  CHECK(pool->idle());
  REQUIRE(pool->hello().has_value());
  CHECK(pool->hello()->torch == "0.0.fake");
  CHECK_FALSE(pool->hello()->sandbox.layers.empty());
}

TEST_CASE("evidence is passed on unchanged") {
  FakePool pool;
  const auto result = pool.run(
      R"(# fake: evidence {"compiled": "inductor", "outcomes": {"eager": {"kind": "ran", "step": "measure", "seconds": 7.5,)"
      R"( "graphs": 0, "operators": []}}, "measurements": [], "same": true, "same_detail": "x", "warnings": ["w"]})");
  REQUIRE(result.harness_failure.empty());
  CHECK(result.evidence.ran(Mode::eager));
  CHECK(result.evidence.outcome(Mode::eager)->seconds == 7.5);
  CHECK(result.evidence.same == true);
  CHECK(result.evidence.warnings == std::vector<std::string>{"w"});
}

TEST_CASE("workers start and run in parallel") {
  FakePool pool([](GroupConfig& config) { config.warm_workers = 3; });
  pool.until([&] { return pool->counts().warm_ready == 3; });  // else the first might do all before the last is there
  std::vector<JobId> ids;
  for (int index = 0; index < 9; ++index) {
    ids.push_back(pool.next_id());
    pool->submit(Job{.id = ids.back(), .program = "# fake: sleep 0.02\n", .modes = {Mode::eager}}, Clock::now());
  }
  CHECK(pool->counts().queued == 9);
  pool->poll(Clock::now());
  CHECK(pool->counts().warm_busy == 3);
  pool.until([&] { return pool->idle(); });
  for (const JobId id : ids) {
    CHECK(pool.result_of(id).harness_failure.empty());
  }
  CHECK(pool->counts().started == 3);
  CHECK(pool->free_warm(0) == 3);
}

TEST_CASE("fault 14: a crash is reported with mode, step, signal and last output, and the worker is replaced") {
  FakePool pool;
  const auto died = pool.run("# fake: die SIGSEGV at inductor.compile\n");
  REQUIRE(died.death.has_value());
  CHECK(died.death->mode == Mode::inductor);
  CHECK(died.death->step == Step::compile);
  CHECK(died.death->signal == SIGSEGV);
  CHECK_FALSE(died.death->hung);
  CHECK(contains(died.death->output, "about to die of SIGSEGV"));
  CHECK(died.harness_failure.empty());
  const auto left = pool.run("# fake: exit 3\n");
  REQUIRE(left.death.has_value());
  CHECK(left.death->mode == Mode::eager);
  CHECK(left.death->step == Step::forward);
  CHECK(left.death->signal == 0);
  CHECK(left.death->exit_status == 3);
  CHECK_FALSE(contains(left.death->output, "SIGSEGV"));
  CHECK(pool.run("").harness_failure.empty());
  CHECK(pool->counts().started == 3);
}

TEST_CASE("the output of a crash is that of its own program") {
  FakePool pool;
  REQUIRE_FALSE(pool.run("# fake: print first words\n# fake: sleep 0.3 at inductor.forward\n").death.has_value());
  const auto died = pool.run("# fake: print second words\n# fake: die SIGKILL at inductor.forward\n");
  REQUIRE(died.death.has_value());
  CHECK(contains(died.death->output, "second words"));
  CHECK_FALSE(contains(died.death->output, "first words"));
  CHECK(died.death->signal == SIGKILL);
}

TEST_CASE("fault 15: a hang is killed at the deadline of its step") {
  FakePool pool(with_short_deadlines);
  SECTION("in eager") {
    const auto hung = pool.run("# fake: hang\n");
    REQUIRE(hung.death.has_value());
    CHECK(hung.death->hung);
    CHECK(hung.death->mode == Mode::eager);
    CHECK(hung.death->step == Step::forward);
  }
  SECTION("while compiling") {
    const auto hung = pool.run("# fake: hang at inductor.compile\n");
    REQUIRE(hung.death.has_value());
    CHECK(hung.death->hung);
    CHECK(hung.death->mode == Mode::inductor);
    CHECK(hung.death->step == Step::compile);
  }
  CHECK(pool.run("").harness_failure.empty());
  CHECK(pool->counts().killed == 1);
}

TEST_CASE("each step has its whole deadline") {
  FakePool pool(with_short_deadlines);
  const auto result = pool.run(
      "# fake: sleep 1.3 at eager.import_program\n# fake: sleep 1.3 at eager.inputs\n# fake: sleep 1.3 at eager.model\n"
      "# fake: sleep 1.3 at eager.forward\n# fake: sleep 1.3 at inductor.compile\n");
  CHECK_FALSE(result.death.has_value());
  CHECK(result.seconds > std::chrono::duration<double>(kShort).count());
}

TEST_CASE("fault 16: a worker without heartbeat is lost, not hung, and its program runs once more in another") {
  FakePool pool([](GroupConfig& config) { config.deadlines.beat = kSilence; });
  for (const char* program : {"# fake: silent\n", "# fake: stop\n"}) {
    INFO(program);
    const auto lost = pool.run(program);
    CHECK(lost.harness_failure == "its heartbeat stopped");
    CHECK_FALSE(lost.death.has_value());
  }
  CHECK(pool.run("").harness_failure.empty());
  CHECK(pool->counts().killed == 4);
}

TEST_CASE("heartbeats keep a long step alive") {
  FakePool pool([](GroupConfig& config) { config.deadlines.beat = kSilence; });
  CHECK_FALSE(pool.run("# fake: sleep 6\n").death.has_value());
}

TEST_CASE("fault 17: a broken channel is a harness failure and is retried once in a fresh worker") {
  struct Row {
    const char* program;
    const char* reason;
  };
  const auto row = GENERATE(Row{"# fake: garbage\n", "no JSON"}, Row{"# fake: wrong id\n", "job 1001"},
                            Row{"# fake: oversized\n", "8 MiB"}, Row{"# fake: half frame\n", "middle of a message"},
                            Row{"# fake: error no luck\n", "no luck"});
  INFO(row.program);
  FakePool pool([](GroupConfig& config) { config.deadlines.beat = kSilence; });
  const auto result = pool.run(row.program);
  CAPTURE(result.harness_failure);
  CHECK(contains(result.harness_failure, row.reason));
  CHECK_FALSE(result.death.has_value());
  CHECK(pool.run("").harness_failure.empty());
  CHECK(pool->counts().started == 3);  // one for each try, one that goes on
}

TEST_CASE("fault 17: a frame of an earlier program is refused, and the second try succeeds in a new worker") {
  FakePool pool;
  REQUIRE(pool.run("").harness_failure.empty());
  const auto result = pool.run("# fake: older frame\n");
  CHECK(contains(result.harness_failure, "'result' of job"));
}

TEST_CASE("a tainted worker is replaced") {
  FakePool pool;
  const auto result = pool.run("# fake: taint a CUDA error\n");
  CHECK(result.tainted == "a CUDA error");
  CHECK(result.harness_failure.empty());
  CHECK(pool.run("").tainted.empty());
  CHECK(pool->counts().started == 2);
}

TEST_CASE("fault 18: a flood of output neither stalls the program nor fills the daemon's memory") {
  FakePool pool;
  CHECK(pool.run("# fake: flood 64\n").harness_failure.empty());
  const auto died = pool.run("# fake: flood 64\n# fake: die SIGABRT at inductor.forward\n");
  REQUIRE(died.death.has_value());
  CHECK(died.death->output.size() < (std::size_t{80} << 10));
  CHECK(contains(died.death->output, "dropped"));
  CHECK(contains(died.death->output, "about to die of SIGABRT"));
}

TEST_CASE("fault 23: a grandchild in its own session dies with its worker") {
  FakePool pool;
  const auto died = pool.run("# fake: double fork\n# fake: die SIGKILL at inductor.forward\n");
  REQUIRE(died.death.has_value());
  CHECK_FALSE(survivor_with(pool.grandchild()));
}

TEST_CASE("fault 23: a worker is replaced if its program leaves a process behind") {
  FakePool pool;
  const auto result = pool.run("# fake: double fork\n");
  CHECK(contains(result.tainted, "left processes behind"));
  CHECK(pool.run("").tainted.empty());
  CHECK(pool->counts().started == 2);
  CHECK_FALSE(survivor_with((pool.folder().path() / "scratch" / "w0").string()));
}

TEST_CASE("destroying a pool leaves nothing behind") {
  FakePool pool;
  const JobId id = pool.next_id();
  pool->submit(Job{.id = id,
                   .program = "# fake: double fork\n# fake: hang at inductor.forward\n",
                   .modes = {Mode::eager, Mode::inductor}},
               Clock::now());
  const auto scratch = pool.folder().path() / "scratch" / "w0";
  pool.until([&] { return std::filesystem::exists(scratch / "grandchild"); });
  CHECK(any_process_with(pool.grandchild()));
  pool.end();
  CHECK_FALSE(survivor_with(scratch.string()));
}

TEST_CASE("a worker is replaced after its number of programs without a gap") {
  FakePool pool([](GroupConfig& config) { config.wear.programs = 2; });
  for (int index = 0; index < 5; ++index) {
    const auto result = pool.run("");
    CHECK(result.harness_failure.empty());
    CHECK(result.tainted.empty());
    CHECK_FALSE(result.death.has_value());
  }
  pool.until([&] { return pool->counts().retired >= 1 && pool->counts().warm_ready == 1; });
  CHECK(pool->counts().killed == 0);
}

TEST_CASE("queued jobs can be forgotten") {
  FakePool pool;
  pool->submit(Job{.id = pool.next_id(), .program = "", .modes = {Mode::eager}}, Clock::now());
  pool->cancel_queued();
  CHECK(pool->idle());
  CHECK(pool->counts().queued == 0);
}

TEST_CASE("the environment is requested once, when nobody waits") {
  FakePool pool;
  pool.until([&] { return !pool->environment().text.empty(); });
  CHECK(contains(pool->environment().text, "fake environment"));
  CHECK(pool.run("").harness_failure.empty());
}
