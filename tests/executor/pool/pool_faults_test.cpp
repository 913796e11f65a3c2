// What the pool says and does when workers, their machine or what they run on fail.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "executor/pool/devices.h"
#include "executor/pool/pool.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using parityd::oracle::Mode;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// Long enough for a machine that is busy with something else: a step, and the silence of a heart.
constexpr milliseconds kPatience(6'000);
constexpr milliseconds kSilence(4'000);

/// What the pool has told since it began, or since it was last asked.
int told(FakePool& pool, PoolNotice::What what) {
  const auto notices = pool->take_notices();
  return static_cast<int>(std::ranges::count(notices, what, &PoolNotice::what));
}

/// No descriptor is left for the time it lives.
}  // namespace

TEST_CASE("each way in which a worker ends is reported as such") {
  struct Row {
    const char* program;
    PoolNotice::What what;
  };
  const auto row =
      GENERATE(Row{"# fake: die SIGSEGV\n", PoolNotice::What::died}, Row{"# fake: exit 0\n", PoolNotice::What::died},
               Row{"# fake: hang\n", PoolNotice::What::hung}, Row{"# fake: stop\n", PoolNotice::What::silent},
               Row{"# fake: garbage\n", PoolNotice::What::garbled},
               Row{"# fake: double fork\n", PoolNotice::What::left_processes},
               Row{"# fake: taint state changed\n", PoolNotice::What::tainted},
               Row{"# fake: taint CUDA error: misaligned address\n", PoolNotice::What::device_error},
               Row{"# fake: taint CUDA error: out of memory\n", PoolNotice::What::device_memory});
  INFO(row.program);
  FakePool pool([](GroupConfig& config) {
    config.deadlines.beat = kSilence;
    config.deadlines.program = kPatience;
  });
  static_cast<void>(pool.run(row.program));
  CHECK(pool.run("").harness_failure.empty());
  CHECK(told(pool, row.what) >= 1);
}

TEST_CASE("fault 15: a hang that ignores signals is killed with all its descendants") {
  FakePool pool([](GroupConfig& config) { config.deadlines.program = config.deadlines.compile = kPatience; });
  const auto hung = pool.run("# fake: double fork\n# fake: hang at inductor.forward\n");
  REQUIRE(hung.death.has_value());
  CHECK(hung.death->hung);
  CHECK_FALSE(survivor_with(pool.grandchild()));
  CHECK(pool.run("").harness_failure.empty());
}

TEST_CASE("fault 15: a hang in another process tree has ended with its descendants before it is reported") {
  // As ssh is: it hands on the end of its input and ends last; by a signal it ends first.
  const std::vector<std::string> prefix{"bash", "-c", "cat | setsid \"$@\"", "elsewhere"};
  FakePool pool([&](GroupConfig& config) {
    config.launch_prefix = prefix;
    config.deadlines.program = config.deadlines.compile = kPatience;
  });
  const std::string folder = (pool.folder().path() / "scratch").string();
  SECTION("in a worker that runs program after program") {
    const auto hung = pool.run("# fake: double fork\n# fake: hang at inductor.forward\n");
    CHECK_FALSE(any_process_with(folder + "/w0"));
    REQUIRE(hung.death.has_value());
    CHECK(hung.death->hung);
  }
  SECTION("in a fresh process") {
    const auto hung = pool.run_fresh("# fake: double fork\n# fake: hang at inductor.forward\n", {Mode::inductor},
                                     pool.folder().path() / "artefacts");
    CHECK_FALSE(any_process_with(folder + "/w1"));
    REQUIRE(hung.death.has_value());
    CHECK(hung.death->hung);
  }
}

TEST_CASE("fault 18: the program that floods its output is named") {
  FakePool pool;
  REQUIRE(pool.run("# fake: flood 16\n# fake: die SIGABRT at inductor.forward\n").death.has_value());
  CHECK(told(pool, PoolNotice::What::flooded) == 1);
}

TEST_CASE("fault 21: if no process can be started the pool backs off and resumes when one can") {
  const TemporaryFolder folder;
  std::filesystem::path real;
  FakePool pool([&](GroupConfig& config) { real = std::exchange(config.launcher, folder.path() / "launcher"); });
  pool.until([&] { return pool->broken().has_value(); });
  std::filesystem::create_symlink(real, folder.path() / "launcher");
  CHECK(pool->counts().started == 0);
  pool->poll(Clock::now() + seconds(30));
  CHECK(pool->counts().started == 0);
  pool->poll(Clock::now() + seconds(61));
  CHECK(pool->counts().started == 1);
  CHECK(pool.run("").harness_failure.empty());
  CHECK_FALSE(pool->broken().has_value());
}

TEST_CASE("fault 24: a program that ends every worker is given up after two, with how they ended, and others go on") {
  FakePool pool([](GroupConfig& config) { config.deadlines.beat = kSilence; });
  for (const std::int64_t subject : {11, 12}) {
    pool->submit(Job{.id = pool.next_id(), .subject = subject, .program = "", .modes = {Mode::eager}}, Clock::now());
  }
  const auto poison = pool.run("# fake: garbage\n");
  CHECK_FALSE(poison.harness_failure.empty());
  REQUIRE(poison.ends.size() == 2);
  CHECK(poison.ends.front().find("after 2 programs") != std::string::npos);
  CHECK(poison.ends.back().find("after 0 programs") != std::string::npos);  // the second had run nothing
  const auto other = pool.run("");
  CHECK(other.harness_failure.empty());
  CHECK(other.ends.empty());
  CHECK(told(pool, PoolNotice::What::garbled) == 2);
}

TEST_CASE("fault 41: a removed shared cache is primed again and programs go on") {
  FakePool pool([](GroupConfig& config) { config.wear.programs = 1; });
  REQUIRE(pool.run("").harness_failure.empty());
  const auto cache = pool.folder().path() / "cache";
  std::filesystem::remove_all(cache);
  for (int program = 0; program < 3; ++program) {
    CHECK(pool.run("").harness_failure.empty());
  }
  pool.until([&] { return std::filesystem::exists(cache / "primed-cpu"); });
  CHECK(told(pool, PoolNotice::What::cache_lost) == 1);
  CHECK_FALSE(pool->broken().has_value());
}

TEST_CASE("fault 42: errors of CUDA and the driver are classified by what must be done") {
  struct Row {
    const char* text;
    DeviceFault fault;
  };
  const auto row = GENERATE(
      Row{"RuntimeError: shapes do not fit", DeviceFault::none}, Row{"", DeviceFault::none},
      Row{"CUDA error: device-side assert triggered", DeviceFault::context},
      Row{"CUDA error: an illegal memory access was encountered", DeviceFault::context},
      Row{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", DeviceFault::memory},
      Row{"CUDA error: out of memory", DeviceFault::memory},
      Row{"CUDA error: uncorrectable ECC error encountered", DeviceFault::reset},
      Row{"RuntimeError: CUDA error: no CUDA-capable device is detected", DeviceFault::gone},
      Row{"Unable to determine the device handle: GPU is lost. Reboot the system", DeviceFault::gone},
      Row{"NVRM: Xid (PCI:0000:19:00): 31, pid=7, name=python, Ch 00000008, MMU Fault", DeviceFault::context},
      Row{"NVRM: Xid (PCI:0000:19:00): 43, pid=7, Ch 00000010", DeviceFault::context},
      Row{"NVRM: Xid (PCI:0000:19:00): 8, pid=7, Channel 1", DeviceFault::context},
      Row{"NVRM: Xid (PCI:0000:19:00): 46, GPU stopped processing", DeviceFault::reset},
      Row{"NVRM: Xid (PCI:0000:19:00): 48, An uncorrectable double bit error", DeviceFault::reset},
      Row{"NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen off the bus", DeviceFault::gone},
      Row{"Xid 79", DeviceFault::gone}, Row{"Xid 4679", DeviceFault::context},
      Row{"NVRM: Xid (PCI:0000:19:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
          DeviceFault::reset},
      Row{"NVRM: Xid (PCI:0000:19:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
          DeviceFault::gone},
      Row{"oxidised Xid", DeviceFault::none});
  INFO(row.text);
  CHECK(name(device_fault(row.text)) == name(row.fault));
}

TEST_CASE("fault 42: a lost device is parked until a worker starts on it again, and its program waits") {
  FakePool pool([](GroupConfig& config) { config.warm_workers = 2; });
  pool.until([&] { return pool->counts().warm_ready == 2; });
  write_file(pool.module() / "start", "gone");
  CHECK(pool.run("# fake: taint CUDA error: GPU is lost\n").tainted == "CUDA error: GPU is lost");
  pool.until([&] { return pool->counts().warm_ready + pool->counts().warm_busy + pool->counts().starting == 0; });
  REQUIRE(pool->parked(0).has_value());
  CHECK(pool->broken(0).has_value());
  const auto started = pool->counts().started;
  const JobId waiting = pool.next_id();
  pool->submit(Job{.id = waiting, .program = "", .modes = {Mode::eager}}, Clock::now());
  pool->poll(Clock::now() + seconds(30));
  CHECK(pool->counts().started == started);

  std::filesystem::remove(pool.module() / "start");
  pool->poll(Clock::now() + seconds(61));
  CHECK(pool->counts().started == started + 1);  // one tries whether it is back
  CHECK(pool.result_of(waiting).harness_failure.empty());
  CHECK_FALSE(pool->parked(0).has_value());
}

TEST_CASE("fault 45: after a torch upgrade the old workers are ended and results distinguish the versions") {
  FakePool pool([](GroupConfig& config) {
    config.warm_workers = 2;
    config.wear.programs = 1;
  });
  pool.until([&] { return pool->counts().warm_ready == 2; });
  pool.until([&] { return !pool->environment().text.empty(); });
  write_file(pool.module() / "start", "torch 9.9.upgraded");
  const auto before = pool.run("");  // worn by it, its worker is replaced
  pool.until([&] { return pool->hello()->torch == "9.9.upgraded" && pool->counts().warm_ready == 2; });
  const auto after = pool.run("");
  CHECK(after.epoch == before.epoch + 1);
  CHECK(after.harness_failure.empty());
  CHECK(told(pool, PoolNotice::What::environment_changed) == 1);
  pool.until([&] { return !pool->environment().text.empty(); });  // asked for anew
}
