#include <csignal>
#include <filesystem>
#include <fstream>

#include "executor/artefact.h"
#include "executor/pool/pool.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using parityd::oracle::Mode;
using parityd::oracle::Step;

namespace {

void no_warm(GroupConfig& config) { config.warm_workers = 0; }

void no_warm_and_a_short_deadline(GroupConfig& config) {
  no_warm(config);
  config.deadlines.program = std::chrono::seconds(6);  // long for what a loaded machine makes of a step
}

}  // namespace

TEST_CASE("fork parents start with the first fresh process and leave artefacts") {
  FakePool pool;
  REQUIRE(pool.run("").harness_failure.empty());
  CHECK(pool->counts().started == 1);
  CHECK(pool->free_fresh(0) == 1);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto result =
      pool.run_fresh("# fake: value eager=1.0 inductor=2.0\n", {Mode::eager, Mode::inductor}, artefacts);
  CHECK(result.harness_failure.empty());
  CHECK_FALSE(result.death.has_value());
  const auto eager = read_artefact(artefacts / "eager.run");
  const auto inductor = read_artefact(artefacts / artefact_name(Mode::inductor));
  REQUIRE(eager.has_value());
  REQUIRE(inductor.has_value());
  const auto evidence = parityd::oracle::evidence_from(Mode::inductor, {eager->record(), inductor->record()});
  REQUIRE(evidence.measurement(Mode::eager, Mode::inductor) != nullptr);
  const auto* output = evidence.measurement(Mode::eager, Mode::inductor)->find("output");
  REQUIRE(output != nullptr);
  CHECK(output->max_absolute == 1.0);
  CHECK_FALSE(output->metadata_differs());
  CHECK(pool->counts().fork_ready + pool->counts().fork_busy == 1);  // it may describe the environment meanwhile
}

TEST_CASE("fresh processes run in the places of idle warm workers") {
  FakePool pool([](GroupConfig& config) { config.warm_workers = 3; });
  pool.until([&] { return pool->free_fresh(0) == 3; });
  std::vector<JobId> jobs;
  for (int number = 0; number < 3; ++number) {
    jobs.push_back(pool.next_id());
    const auto artefacts = pool.folder().path() / std::to_string(number);
    std::filesystem::create_directories(artefacts);
    pool->submit(Job{.id = jobs.back(),
                     .program = "# fake: hang\n",
                     .modes = {Mode::eager},
                     .fresh = true,
                     .artefacts = artefacts},
                 Clock::now());
  }
  CHECK(pool->free_fresh(0) == 0);
  pool.until([&] { return pool->counts().fork_busy == 3; });
}

TEST_CASE("screening does not wait for confirmation: warm workers wait for what it lets through") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  std::filesystem::create_directories(artefacts);
  for (const char* const program : {"# fake: sleep 0.1\n", "# fake: hang\n"}) {
    pool->submit(
        Job{.id = pool.next_id(), .program = program, .modes = {Mode::eager}, .fresh = true, .artefacts = artefacts},
        Clock::now());
  }
  Job screening{.id = pool.next_id()};
  screening.screening = Screening{.programs = {"x = 1\n"}};
  pool->submit(screening, Clock::now());
  CHECK(pool.result_of(screening.id).screened.verdicts.size() == 1);
  CHECK(pool->free_fresh(0) == 0);  // what was there before has not come to its end
}

TEST_CASE("once fresh processes have run the environment is gathered without waiting for idle time") {
  FakePool pool([](GroupConfig& config) { config.warm_workers = 1; });
  const auto artefacts = pool.folder().path() / "artefacts";
  REQUIRE(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
  for (int number = 0; number < 1000; ++number) {
    pool->submit(Job{.id = pool.next_id(), .program = "# fake: sleep 0.1\n", .modes = {Mode::eager}}, Clock::now());
  }
  pool.until([&] { return !pool->environment().text.empty(); });
  CHECK(pool->counts().queued > 0);
}

TEST_CASE("a fork parent reports a fresh child that dies and continues") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto died =
      pool.run_fresh("# fake: die SIGSEGV at inductor.compile\n", {Mode::eager, Mode::inductor}, artefacts);
  REQUIRE(died.death.has_value());
  CHECK(died.death->mode == Mode::inductor);
  CHECK(died.death->step == Step::compile);
  CHECK(died.death->signal == SIGSEGV);
  CHECK(std::filesystem::exists(artefacts / "eager.run"));
  CHECK_FALSE(std::filesystem::exists(artefacts / "inductor.run"));
  const auto left = pool.run_fresh("# fake: exit 0\n", {Mode::eager}, artefacts);
  REQUIRE(left.death.has_value());
  CHECK(left.death->signal == 0);
  CHECK(left.death->exit_status == 0);
  CHECK(pool->counts().started == 1);
}

TEST_CASE("a fresh child that hangs is killed with its descendants and its parent continues") {
  FakePool pool(no_warm_and_a_short_deadline);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto hung = pool.run_fresh("# fake: double fork at eager.model\n# fake: hang\n", {Mode::eager}, artefacts);
  REQUIRE(hung.death.has_value());
  CHECK(hung.death->hung);
  CHECK_FALSE(any_process_with(pool.grandchild()));
  CHECK(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
  CHECK(pool->counts().started == 1);
  CHECK(pool->counts().killed == 0);
}

TEST_CASE("a fork parent killed from inside counts as a crash") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto result = pool.run_fresh("# fake: garbage\n", {Mode::eager}, artefacts);
  CHECK(result.harness_failure.find("no JSON") != std::string::npos);
  CHECK(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
}

TEST_CASE(
    "fault 23: processes that a fresh process leaves behind are killed with its parent before its files are read") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto result = pool.run_fresh("# fake: double fork\n", {Mode::eager}, artefacts);
  CHECK(result.harness_failure.empty());
  CHECK_FALSE(result.death.has_value());
  CHECK(read_artefact(artefacts / "eager.run").has_value());
  CHECK_FALSE(any_process_with(pool.grandchild()));
  CHECK(pool->counts().killed == 1);
  CHECK(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
}

TEST_CASE("fault 41: a fresh process leaves nothing in the folders of the next one") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  REQUIRE(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
  REQUIRE(pool.run_fresh("# fake: litter\n", {Mode::eager}, artefacts).harness_failure.empty());
  const auto scratch = pool.folder().path() / "scratch" / "w0";
  for (const char* folder : {"home", "tmp", "jobs", "tmp/torchinductor_parityd/precompiled_headers"}) {
    INFO(folder);
    CHECK_FALSE(std::filesystem::exists(scratch / folder / "litter"));
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "jobs" / "2"));
}

TEST_CASE("links that a fresh process leaves in place of its folders are not followed") {
  FakePool pool(no_warm);
  const auto artefacts = pool.folder().path() / "artefacts";
  const auto precious = pool.folder().path() / "precious";
  REQUIRE(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
  std::filesystem::create_directories(precious / "2" / "artefacts");
  write_file(precious / "2" / "artefacts" / "eager.run", "another's");
  std::filesystem::remove_all(artefacts);
  const auto result = pool.run_fresh("# fake: relink " + precious.string() + " at inductor.start\n",
                                     {Mode::eager, Mode::inductor}, artefacts);
  CHECK(result.harness_failure.empty());
  CHECK_FALSE(std::filesystem::exists(artefacts / "eager.run"));
  CHECK(read_file(precious / "2" / "artefacts" / "eager.run") == "another's");
  CHECK(pool.run_fresh("", {Mode::eager}, artefacts).harness_failure.empty());
  CHECK(std::filesystem::exists(artefacts / "eager.run"));
}
