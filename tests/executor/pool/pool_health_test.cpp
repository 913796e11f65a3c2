// When a warm worker is replaced, and that it costs nothing.
#include <csignal>
#include <filesystem>

#include "executor/pool/canary.h"
#include "executor/pool/pool.h"
#include "executor/pool/worker_deadlines.h"
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

bool any_contains(const std::vector<PoolNotice>& notices, const std::string& words) {
  return std::any_of(notices.begin(), notices.end(), [&](const auto& notice) { return contains(notice.text, words); });
}

}  // namespace

TEST_CASE("a spare is primed after the workers and replaces one that dies") {
  FakePool pool([](GroupConfig& config) {
    config.warm_workers = 2;
    config.spares = 1;
  });
  pool.until([&] { return pool->counts().warm_ready == 3; });
  CHECK(pool->free_warm(0) == 2);
  REQUIRE(pool.run("# fake: die SIGKILL\n").death.has_value());
  CHECK(pool->counts().warm_ready == 2);  // the spare works while another one starts
  CHECK(pool.run("").harness_failure.empty());
  pool.until([&] { return pool->counts().warm_ready == 3; });
}

TEST_CASE("a spare never works in addition to all the others") {
  FakePool pool([](GroupConfig& config) { config.spares = 1; });
  pool.until([&] { return pool->counts().warm_ready == 2; });
  const JobId first = pool.next_id(), second = pool.next_id();
  for (const JobId id : {first, second}) {
    pool->submit(Job{.id = id, .program = "# fake: sleep 0.05\n", .modes = {Mode::eager}}, Clock::now());
  }
  pool->poll(Clock::now());
  CHECK(pool->counts().warm_busy == 1);
  CHECK(pool->counts().queued == 1);
  CHECK(pool.result_of(second).harness_failure.empty());
}

TEST_CASE("a worker whose memory grows is replaced") {
  struct Row {
    const char* health;
    const char* reason;
  };
  const auto row =
      GENERATE(Row{R"({"resident_bytes": 9000000000})", "memory: "}, Row{R"({"maps": 30000})", "30000 memory maps"},
               Row{R"({"gpu_bytes": 9000000000})", "GPU memory: "});
  FakePool pool([](GroupConfig& config) { config.spares = 1; });
  REQUIRE(pool.run("").harness_failure.empty());
  REQUIRE(pool.run(std::string("# fake: health ") + row.health + "\n").tainted.empty());
  pool.until([&] { return pool->counts().retired == 1; });
  CHECK(any_contains(pool->take_notices(), row.reason));
  CHECK(pool.run("").history.empty());
}

TEST_CASE("no more workers start on a device than its memory allows, and more once there is room") {
  FakePool pool(
      [](GroupConfig& config) {
        config.device = DeviceKind::cuda;
        config.warm_workers = 12;
        write_file(config.shared_cache / "primed-cuda", "");
      },
      "device 900");
  std::vector<PoolNotice> notices;
  pool.until([&] {
    const auto more = pool->take_notices();
    notices.insert(notices.end(), more.begin(), more.end());
    return pool->counts().warm_ready == 8 && !notices.empty();  // so many start before one has told
  });
  CHECK(notices.size() == 1);
  CHECK(notices.front().what == PoolNotice::What::device_memory);
  CHECK(any_contains(notices, "workers run: the device has 900 MiB left, and another worker needs 1792"));
  CHECK(pool->counts().starting == 0);
  REQUIRE(pool.run(R"(# fake: health {"gpu_free_bytes": 99000000000})"
                   "\n")
              .harness_failure.empty());
  pool.until([&] { return pool->counts().warm_ready == 12; });
}

TEST_CASE("a device without room for one worker has one anyway") {
  FakePool pool([](GroupConfig& config) { config.device = DeviceKind::cuda; }, "device 0");
  REQUIRE(pool.run("# fake: die SIGKILL\n").death.has_value());
  CHECK(pool.run("").harness_failure.empty());
}

TEST_CASE("a result names the programs that its process ran before") {
  FakePool pool;
  for (const std::int64_t subject : {71, 72, 73}) {
    const JobId id = pool.next_id();
    pool->submit(Job{.id = id, .subject = subject, .program = "", .modes = {Mode::eager}}, Clock::now());
    const auto result = pool.result_of(id);
    std::vector<std::int64_t> before;
    for (std::int64_t earlier = 71; earlier < subject; ++earlier) {
      before.push_back(earlier);
    }
    CHECK(result.history == before);
  }
  CHECK(pool.run("# fake: die SIGKILL\n").history == std::vector<std::int64_t>{71, 72, 73});
}

TEST_CASE("the canary runs every few programs and its result is not reported") {
  FakePool pool([](GroupConfig& config) { config.canary_every = 2; });
  for (int program = 0; program < 7; ++program) {
    CHECK(pool.run("").harness_failure.empty());
  }
  CHECK(pool->counts().started == 1);
  const auto seconds = pool->take_seconds(Clock::now());
  CHECK(seconds.at(0)[Occupation::canary] > 0);
  CHECK(pool->counts().canaries_passed == 3);
  CHECK(pool->counts().canaries_failed == 0);
}

TEST_CASE("a worker that misses the canary's fault is killed and its program waits for another") {
  FakePool pool([](GroupConfig& config) { config.canary_every = 2; }, "blind");
  for (int program = 0; program < 4; ++program) {
    CHECK(pool.run("").harness_failure.empty());
  }
  CHECK(any_contains(pool->take_notices(), "the canary failed: the injected fault was not seen"));
  CHECK(pool->counts().killed >= 1);
  CHECK(pool->counts().canaries_failed >= 1);
}

TEST_CASE("a canary is sound only if its fault and nothing else is seen") {
  using parityd::oracle::Evidence;
  Evidence sound;
  sound.compiled = Mode::inductor;
  sound.outcomes[Mode::eager] = {.step = Step::measure};
  sound.outcomes[Mode::inductor] = {.step = Step::measure, .graphs = 1};
  parityd::oracle::LeafMeasurement faulty, equal;
  faulty.path = "output[0]";
  faulty.unequal = 8;
  equal.path = "output[1]";
  sound.measurements.push_back({.expected = Mode::eager, .actual = Mode::inductor, .leaves = {faulty, equal}});
  CHECK_FALSE(canary_failure(sound).has_value());

  Evidence raised = sound;
  raised.outcomes[Mode::inductor].kind = parityd::oracle::OutcomeKind::raised;
  CHECK(contains(canary_failure(raised).value_or(""), "inductor did not run"));
  Evidence broken = sound;
  broken.outcomes[Mode::inductor].graphs = 2;
  CHECK(contains(canary_failure(broken).value_or(""), "one graph"));
  Evidence forged = sound;
  forged.measurements.at(0).leaves.at(0).unequal = 0;
  CHECK(contains(canary_failure(forged).value_or(""), "fault was not seen"));
  Evidence noisy = sound;
  noisy.measurements.at(0).leaves.at(1).unequal = 1;
  CHECK(contains(canary_failure(noisy).value_or(""), "reported as different"));
  Evidence empty = sound;
  empty.measurements.clear();
  CHECK(contains(canary_failure(empty).value_or(""), "not measured"));
}

TEST_CASE("step limits are learnt within the configured deadline") {
  StepLimits limits;
  const milliseconds configured(180'000);
  CHECK(limits.limit(Mode::inductor, Step::compile, configured) == configured);
  for (std::size_t count = 0; count < StepLimits::kFewest; ++count) {
    limits.took(Mode::inductor, Step::compile, milliseconds(2'000));
    limits.took(Mode::eager, Step::forward, milliseconds(1));
    limits.took(Mode::inductor_max_autotune, Step::compile, milliseconds(20'000));
  }
  CHECK(limits.limit(Mode::inductor, Step::compile, configured) == milliseconds(80'000));
  CHECK(limits.limit(Mode::inductor, Step::compile, milliseconds(4'000)) == milliseconds(4'000));
  CHECK(limits.limit(Mode::eager, Step::forward, milliseconds(30'000)) == milliseconds(30'000));  // a hang settles it
  CHECK(limits.limit(Mode::inductor_max_autotune, Step::compile, configured) == configured);
  CHECK(limits.limit(Mode::inductor, Step::compile, milliseconds(0)) == milliseconds(0));
  CHECK(limits.limit(Mode::aot_eager, Step::compile, configured) == configured);
}

TEST_CASE("worker time is accounted to its use") {
  FakePool pool;
  REQUIRE(
      pool.run("# fake: sleep 0.05 at eager.forward\n# fake: sleep 0.1 at inductor.compile\n").harness_failure.empty());
  const auto artefacts = pool.folder().path() / "artefacts";
  REQUIRE(pool.run_fresh("# fake: sleep 0.03 at eager.forward\n", {Mode::eager}, artefacts).harness_failure.empty());
  const WorkerSeconds seconds = pool->take_seconds(Clock::now()).at(0);
  CHECK(seconds[Occupation::import] > 0);
  CHECK(seconds[Occupation::eager] > 0);
  // A daemon that a busy machine keeps waiting hears of two steps at once; their sum it cannot miss.
  CHECK(seconds[Occupation::eager] + seconds[Occupation::compile] >= 0.15);
  CHECK(seconds[Occupation::confirmation] >= 0.03);
  CHECK(seconds[Occupation::idle] > 0);  // while the fresh job ran
  CHECK(pool->take_seconds(Clock::now()).at(0)[Occupation::eager] == 0);
}

TEST_CASE("groups run their own jobs") {
  const TemporaryFolder folder;
  FakePool one([&](GroupConfig& config) { config.scratch = folder.path() / "one"; });
  std::vector<GroupConfig> configs(2, one->config(0));
  configs[1].name = "other";
  configs[0].scratch = folder.path() / "first";
  configs[1].scratch = folder.path() / "second";
  Pool pool(configs, Clock::now());
  REQUIRE(pool.groups() == 2);
  pool.submit(Job{.id = 1, .group = 1, .program = "# fake: litter\n", .modes = {Mode::eager}}, Clock::now());
  std::vector<JobResult> results;
  while (results.empty()) {
    std::vector<Interest> interests;
    pool.append_interests(interests);
    wait_for(interests, Clock::now() + milliseconds(100));
    pool.poll(Clock::now());
    results = pool.take_results();
  }
  CHECK(std::filesystem::exists(folder.path() / "second" / "w0" / "home" / "litter"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "first" / "w0" / "home" / "litter"));
}
