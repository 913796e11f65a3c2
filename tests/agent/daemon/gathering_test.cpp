// Ready findings get every debugging tool once, as background work; what fails is not tried again.
#include "agent/daemon/gathering.h"

#include "executor/tools.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/store/fixture.h"

using namespace parityd;
using executor::Clock;

namespace {

class Scene {
 public:
  Scene() : examiner_(*pool_, pool_.folder().path() / "rounds", 0), gathering_(store_, *pool_, examiner_) {}

  store::Id add_finding(const std::string& reduced, const std::string& disposition) {
    const auto program =
        tests::added(store_, tests::finished(tests::a_program(reduced), oracle::VerdictKind::inconsistent));
    auto row = tests::a_finding(program.id, reduced);
    row.reduced = reduced;
    row.disposition = disposition;
    row.device = "cpu";
    return store_.add_finding(row);
  }

  /// Until nothing is left to gather. Returns how many tools were begun.
  int gather(std::vector<std::string>& failures) {
    int begun = 0;
    bool running = false;
    pool_.until([&] {
      (void)examiner_.take(Clock::now());
      for (auto& failure : gathering_.store_results(7)) failures.push_back(failure);
      auto next = gathering_.next(false);
      if (next) {
        examiner_.inspect(std::move(*next), Clock::now());
        ++begun;
      }
      running = next.has_value() || pool_->free_fresh(0) == 0;
      return !running;
    });
    return begun;
  }

  store::Store& store() { return store_; }
  agent::Gathering& gathering() { return gathering_; }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  executor::test::FakePool pool_;
  agent::Examiner examiner_;
  agent::Gathering gathering_;
};

}  // namespace

TEST_CASE("every tool is run once on a ready finding, and on no other") {
  Scene scene;
  const auto ready = scene.add_finding("x = 1\n", "ready");
  const auto held = scene.add_finding("x = 2\n", "held(stride)");
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == static_cast<int>(executor::tools().size()));
  CHECK(failures.empty());
  CHECK(scene.store().tools_run(ready).size() == executor::tools().size());
  CHECK(scene.store().tools_run(held).empty());
  const auto guards = scene.store().inspection(ready, "guards");
  REQUIRE(guards);
  CHECK(guards->text == "== guards of finding_" + std::to_string(ready) + ".py\ntold\n");
  CHECK(guards->torch == "0.0.fake");
  CHECK(guards->at == 7);
  scene.gathering().look_again();
  CHECK(scene.gather(failures) == 0);
}

TEST_CASE("a tool that fails is told and not tried again; a program that dies is evidence") {
  Scene scene;
  (void)scene.add_finding("# fake: tool fails\n", "ready");
  const auto dies = scene.add_finding("# fake: die SIGSEGV at inductor.compile\n", "ready");
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == static_cast<int>(2 * executor::tools().size()));
  CHECK(failures.size() == executor::tools().size());
  scene.gathering().look_again();
  CHECK(scene.gather(failures) == 0);
  const auto trace = scene.store().inspection(dies, "trace");
  REQUIRE(trace);
  CHECK(trace->text.find("ended in step compile by signal 11") != std::string::npos);
}

TEST_CASE("while rounds are on their way the last fresh process is theirs") {
  Scene scene;
  (void)scene.add_finding("x = 1\n", "ready");
  CHECK_FALSE(scene.gathering().next(true));
  const auto next = scene.gathering().next(false);
  REQUIRE(next);
  CHECK(next->tool == executor::tools().front().name);
  CHECK_FALSE(scene.gathering().next(false));
}
