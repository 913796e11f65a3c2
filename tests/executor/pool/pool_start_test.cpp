#include <filesystem>

#include "executor/pool/pool.h"
#include "executor/pool/start_gate.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/text.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

using parityd::tests::contains;

}  // namespace

TEST_CASE("fault 25: after two failed starts the pool gives the reason") {
  FakePool pool({}, "fail");
  pool.until([&] { return pool->broken().has_value(); });
  CHECK(contains(*pool->broken(), "the fake worker was asked not to start"));
  CHECK(contains(*pool->broken(), "ended with status 1"));
  CHECK(pool->counts().started == 2);
  REQUIRE(pool->next_deadline().has_value());
  CHECK(*pool->next_deadline() > Clock::now() + seconds(30));
}

TEST_CASE("a single failed start is retried at once") {
  FakePool pool({}, "fail once");
  CHECK(pool.run("").harness_failure.empty());
  CHECK_FALSE(pool->broken().has_value());
  CHECK(pool->counts().started == 2);
}

TEST_CASE("reasons for failed starts are classified") {
  SECTION("no such interpreter") {
    FakePool pool([](GroupConfig& config) { config.python = "/nowhere/python"; });
    pool.until([&] { return pool->broken().has_value(); });
    CHECK(contains(*pool->broken(), "cannot start /nowhere/python"));
  }
  SECTION("no such launcher") {
    FakePool pool([](GroupConfig& config) { config.launcher = "/nowhere/parityd-worker"; });
    pool.until([&] { return pool->broken().has_value(); });
    CHECK(contains(*pool->broken(), "/nowhere/parityd-worker"));
  }
  SECTION("never ready") {
    FakePool pool([](GroupConfig& config) { config.deadlines.start = milliseconds(200); }, "mute");
    pool.until([&] { return pool->broken().has_value(); });
    CHECK(contains(*pool->broken(), "not ready in time"));
  }
  SECTION("another protocol") {
    FakePool pool({}, "protocol");
    pool.until([&] { return pool->broken().has_value(); });
    CHECK(contains(*pool->broken(), "protocol 1"));
  }
}

TEST_CASE("a slow start is waited for") {
  FakePool pool({}, "slow 0.3");
  CHECK(pool.run("").harness_failure.empty());
  CHECK(pool->counts().started == 1);
}

TEST_CASE("where new programs are screened fork parents start with the warm workers, followed by a spare") {
  FakePool pool([](GroupConfig& config) {
    config.fork_parents_at_once = true;
    config.spares = 1;
  });
  pool.until([&] {
    const auto counts = pool->counts();
    if (counts.fork_ready == 0) CHECK(counts.warm_ready + counts.starting <= 2);
    return counts.fork_ready == 1 && counts.warm_ready == 2;
  });
}

TEST_CASE("elsewhere a fork parent starts with the first job for it") {
  FakePool pool;
  pool.until([&] { return pool->counts().warm_ready == 1; });
  CHECK(pool->counts().starting == 0);
  CHECK(pool->counts().fork_ready == 0);
}

TEST_CASE("a worker that dies idle is replaced at decreasing frequency") {
  FakePool pool({}, "die primed");
  pool.until([&] { return pool->counts().started >= 3; });
  std::filesystem::remove(pool.module() / "start");
  CHECK(pool.run("").harness_failure.empty());
}

TEST_CASE("a process that runs no program primes the shared cache once before any worker starts") {
  FakePool pool([](GroupConfig& config) { std::filesystem::remove(config.shared_cache / "primed-cpu"); });
  CHECK(pool->counts().starting == 1);
  CHECK(pool.run("").harness_failure.empty());
  CHECK(std::filesystem::exists(pool.folder().path() / "cache" / "primed-cpu"));
  CHECK(pool->counts().started == 1);
  CHECK(std::filesystem::exists(pool.folder().path() / "scratch" / "w1"));
  CHECK_FALSE(std::filesystem::exists(pool.folder().path() / "scratch" / "w0"));
}

TEST_CASE("one process at a time primes a shared cache, and each kind of device its own part") {
  FakePool first([](GroupConfig& config) { std::filesystem::remove(config.shared_cache / "primed-cpu"); });
  const auto cache = first.folder().path() / "cache";
  const auto shares = [&](GroupConfig& config) { config.shared_cache = cache; };
  FakePool second(shares);
  FakePool other([&](GroupConfig& config) {
    shares(config);
    config.device = DeviceKind::cuda;
  });
  for (FakePool* waiting : {&second, &other}) {
    const TimePoint now = Clock::now();
    (*waiting)->poll(now);
    CHECK((*waiting)->counts().starting == 0);
    CHECK((*waiting)->next_deadline() > now);
  }
  first.until([&] { return first->counts().warm_ready == 1; });
  second.until([&] { return second->counts().warm_ready == 1; });
  CHECK_FALSE(std::filesystem::exists(second.folder().path() / "scratch" / "w1"));  // its first process was a worker
  CHECK_FALSE(std::filesystem::exists(cache / "primed-cuda"));
  other.until([&] { return other->counts().warm_ready == 1; });
  CHECK(std::filesystem::exists(cache / "primed-cuda"));
}

TEST_CASE("priming a shared cache for a GPU also primes it for the CPU") {
  FakePool gpu([](GroupConfig& config) {
    std::filesystem::remove(config.shared_cache / "primed-cpu");
    config.device = DeviceKind::cuda;
  });
  const auto cache = gpu.folder().path() / "cache";
  FakePool processors([&](GroupConfig& config) { config.shared_cache = cache; });
  gpu.until([&] { return gpu->counts().warm_ready == 1; });
  processors.until([&] { return processors->counts().warm_ready == 1; });
  CHECK_FALSE(std::filesystem::exists(processors.folder().path() / "scratch" / "w1"));  // its first was a worker
}

TEST_CASE("a shared cache that cannot be primed counts as a failed start") {
  FakePool pool([](GroupConfig& config) { std::filesystem::remove(config.shared_cache / "primed-cpu"); }, "fail");
  pool.until([&] { return pool->broken().has_value(); });
  CHECK(contains(*pool->broken(), "asked not to start"));
  CHECK_FALSE(std::filesystem::exists(pool.folder().path() / "cache" / "primed-cpu"));
}

TEST_CASE("a pool that cannot start its builder leaves the shared cache to the others") {
  FakePool first([](GroupConfig& config) {
    std::filesystem::remove(config.shared_cache / "primed-cpu");
    config.launcher = config.scratch / "no launcher";
  });
  FakePool second([&](GroupConfig& config) { config.shared_cache = first.folder().path() / "cache"; });
  first->poll(Clock::now());
  second.until([&] { return second->counts().warm_ready == 1; });
}

TEST_CASE("starting workers takes at most half of the loop's time over all groups") {
  const TimePoint start = Clock::now();
  StartPace pace;
  pace.begin_turn(start);
  REQUIRE(pace.open());
  pace.held_loop(milliseconds(3), start + milliseconds(3));
  CHECK(pace.open());  // some are quick
  pace.held_loop(milliseconds(12), start + milliseconds(15));
  CHECK_FALSE(pace.open());
  CHECK(pace.next() == start + milliseconds(30));
  pace.begin_turn(start + milliseconds(29));
  CHECK_FALSE(pace.open());
  pace.begin_turn(start + milliseconds(30));
  CHECK(pace.open());
}

TEST_CASE("fault 25: worker starts are rate-limited") {
  const TimePoint start = Clock::now();
  StartGate gate;
  CHECK(gate.open(start));
  SECTION("closes at the second failure but for one try a minute") {
    gate.start_failed("first", start);
    CHECK(gate.open(start));
    CHECK_FALSE(gate.broken().has_value());
    gate.start_failed("second", start);
    CHECK(gate.broken() == "second");
    CHECK_FALSE(gate.open(start + seconds(59)));
    CHECK(gate.open(start + seconds(60)));
    gate.started(start + seconds(60));
    CHECK_FALSE(gate.open(start + seconds(61)));
    gate.primed();
    CHECK(gate.open(start + seconds(61)));
    CHECK_FALSE(gate.broken().has_value());
  }
  SECTION("idle deaths are replaced ever later, until a job is done") {
    gate.died_idle(start);
    CHECK(gate.open(start + milliseconds(100)));
    for (int death = 0; death < 40; ++death) {
      gate.died_idle(start);
    }
    CHECK_FALSE(gate.open(start + seconds(30)));
    CHECK(gate.open(start + seconds(60)));
    gate.job_done();
    gate.died_idle(start + seconds(100));
    CHECK(gate.open(start + seconds(101)));
  }
}
