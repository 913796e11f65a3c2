// The examiner with workers that answer as the test says.
#include "agent/daemon/program/examiner.h"

#include "tests/agent/daemon/program/asked_workers.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd;
using namespace parityd::agent;

namespace {

constexpr executor::TimePoint kNow{};

struct Bench {
  AskedWorkers workers{AskedWorkers::Raises{}};
  executor::test::TemporaryFolder folder;
  Examiner examiner{workers, folder.path(), 1};

  void recheck(store::Id finding, executor::GroupIndex group) {
    examiner.confirm({.program = finding, .text = "class Model: ...", .group = group}, Examination::recheck, 1, kNow);
  }
  [[nodiscard]] std::vector<std::filesystem::path> folders() const {
    std::vector<std::filesystem::path> all;
    for (const auto& job : workers.waiting()) all.push_back(job.artefacts);
    return all;
  }
};

}  // namespace

TEST_CASE("examiner: groups that recheck one finding at the same time have separate folders") {
  Bench bench;
  bench.recheck(7, 0);
  const auto first = bench.folders();
  REQUIRE(first.size() == 2);
  CHECK(first[0] == first[1]);
  const auto artefact = first[0] / "eager.run";
  std::filesystem::create_directories(first[0]);
  executor::test::write_file(artefact, "of the first group");
  bench.recheck(7, 1);
  const auto all = bench.folders();
  REQUIRE(all.size() == 4);
  CHECK(all[2] != first[0]);
  CHECK(std::filesystem::exists(artefact));
}

TEST_CASE("examiner: the eager side of a round runs in the group that is named for it, and nothing else does") {
  Bench bench;
  const Subject subject{.program = 7, .text = "class Model: ...", .group = 0, .eager_group = 1};
  bench.examiner.confirm(subject, Examination::recheck, 1, kNow);
  bench.examiner.screen(subject, {}, kNow);
  REQUIRE(bench.workers.waiting().size() == 3);
  for (const auto& job : bench.workers.waiting()) {
    const bool eager_side = job.fresh && job.modes.front() == oracle::Mode::eager;
    CHECK(job.group == (eager_side ? 1 : 0));
  }
  CHECK(bench.workers.waiting()[0].group != bench.workers.waiting()[1].group);
}

TEST_CASE("examiner: graphs with little new are skipped only in screenings that ask for it") {
  Bench bench;
  const Subject subject{.program = 3, .text = "class Model: ..."};
  bench.examiner.screen(subject, {.neutralisers = {}, .much = 5, .compile_all = false}, kNow);
  bench.examiner.screen(subject, {}, kNow);
  bench.examiner.run_controls(subject, oracle::Kind::numerical, kNow);
  bench.recheck(7, 0);
  std::vector<int> asked;
  for (const auto& job : bench.workers.waiting()) asked.push_back(job.compile_from);
  CHECK(asked == std::vector<int>{5, 0, 0, 0, 0});
}

TEST_CASE("examiner: a round that a harness failure ended keeps its folder until its other side ends") {
  Bench bench;
  bench.recheck(7, 0);
  bench.workers.fail_oldest("no worker");
  REQUIRE(bench.examiner.drain_results(kNow).size() == 1);
  CHECK(bench.examiner.in_flight() == 0);
  const auto late = bench.folders().at(0);
  std::filesystem::create_directories(late);
  executor::test::write_file(late / "inductor.run", "late");
  bench.recheck(7, 0);
  CHECK(bench.folders().at(1) != late);
  bench.workers.answer_oldest();
  CHECK(bench.examiner.drain_results(kNow).empty());
  CHECK_FALSE(std::filesystem::exists(late));
}
