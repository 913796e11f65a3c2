// Whether a warm worker's word on programs holds: told once its whole state was looked at, or it ended.
#include <algorithm>

#include "executor/pool/pool.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using parityd::oracle::Mode;

namespace {

using Subjects = std::vector<std::int64_t>;

/// A pool whose jobs are judged, and what it told of its workers' word.
class JudgingPool : public FakePool {
 public:
  using FakePool::FakePool;

  JobResult judge(std::int64_t subject, const std::string& program) {
    const JobId id = next_id();
    Job job{.id = id, .subject = subject, .program = program, .modes = {Mode::eager, Mode::inductor}};
    job.judged = true;
    (*this)->submit(std::move(job), Clock::now());
    JobResult result = result_of(id);
    collect();
    return result;
  }
  void collect() {
    for (auto& one : (*this)->take_settled()) settled_.push_back(std::move(one));
  }
  const std::vector<Settled>& settled(std::size_t wanted) {
    until([&] {
      collect();
      return settled_.size() >= wanted;
    });
    return settled_;
  }

 private:
  std::vector<Settled> settled_;
};

}  // namespace

TEST_CASE("a warm worker's results are accepted once nothing waits for it and a check passes") {
  JudgingPool pool;
  pool.judge(11, "");
  REQUIRE(pool.settled(1).size() == 1);
  CHECK(pool.settled(1).front().subjects == Subjects{11});
  CHECK(pool.settled(1).front().why.empty());
  CHECK(pool.run("").history.size() == 1);  // the same worker goes on
}

TEST_CASE("a busy worker is checked after eight programs") {
  JudgingPool pool;
  for (std::int64_t subject = 1; subject <= 16; ++subject) {
    pool->submit(Job{.id = pool.next_id(), .subject = subject, .modes = {Mode::eager}, .judged = true}, Clock::now());
  }
  const auto& settled = pool.settled(2);
  CHECK(settled[0].subjects == Subjects{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(settled[1].subjects == Subjects{9, 10, 11, 12, 13, 14, 15, 16});
}

TEST_CASE("the result of a check applies to all programs since the last one") {
  JudgingPool pool;
  pool.judge(1, "");
  REQUIRE(pool.settled(1).front().why.empty());
  for (const auto& [subject, program] : {std::pair{2, ""}, {3, "# fake: leaves a patched name\n"}, {4, ""}}) {
    pool->submit(
        Job{.id = pool.next_id(), .subject = subject, .program = program, .modes = {Mode::eager}, .judged = true},
        Clock::now());
  }
  const auto& settled = pool.settled(2);
  CHECK(settled[1].subjects == Subjects{2, 3, 4});
  CHECK(settled[1].why == "a patched name");
  CHECK(pool.judge(5, "").history.empty());
}

TEST_CASE("the results of a worker that ends before its check are not accepted") {
  const auto* const end = GENERATE("# fake: die SIGKILL\n", "# fake: taint it patched torch.relu\n");
  JudgingPool pool;
  const JobId last = 100;
  pool->submit(Job{.id = pool.next_id(), .subject = 1, .modes = {Mode::eager}, .judged = true}, Clock::now());
  pool->submit(Job{.id = last, .subject = 2, .program = end, .modes = {Mode::eager}, .judged = true}, Clock::now());
  const auto& settled = pool.settled(1);
  CHECK(settled.front().subjects == Subjects{1});  // nobody relies on what it said of the last one
  CHECK_FALSE(settled.front().why.empty());
}

TEST_CASE("a worker that fails its check is ended and its results are not accepted") {
  JudgingPool pool;
  const JobResult result = pool.judge(7, "");
  pool->distrust(0, result.worker, "its differences vanish", Clock::now());
  const auto& settled = pool.settled(1);
  CHECK(settled.front().subjects == Subjects{7});
  CHECK(settled.front().why == "its differences vanish");
  CHECK(pool.run("").history.empty());
}

TEST_CASE("a worker due for replacement is checked before it ends") {
  JudgingPool pool([](GroupConfig& config) { config.spares = 1; });
  pool.judge(3, R"(# fake: health {"maps": 50000})");
  CHECK(pool.settled(1).front().why.empty());
  pool.until([&] { return pool->counts().retired == 1; });
}
