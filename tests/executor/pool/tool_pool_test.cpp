// PyTorch's debugging tools as jobs of the pool: the text outlives the child, the deadline is one for all of a tool.
#include <csignal>
#include <filesystem>

#include "executor/pool/pool.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using parityd::oracle::Step;

namespace {

JobResult inspect(FakePool& pool, const std::string& program, const std::string& file_name = "finding_3.py") {
  Job job;
  job.id = 41;
  job.program = program;
  job.tool = "guards";
  job.file_name = file_name;
  pool->submit(job, Clock::now());
  std::vector<JobResult> results;
  pool.until([&] {
    results = pool->take_results();
    return !results.empty();
  });
  REQUIRE(results.size() == 1);
  CHECK(results.front().id == 41);
  return results.front();
}

}  // namespace

TEST_CASE("a tool's text comes from a fresh child") {
  FakePool pool;
  const auto result = inspect(pool, "");
  CHECK(result.harness_failure.empty());
  CHECK(result.tool_failure.empty());
  CHECK_FALSE(result.death.has_value());
  CHECK(result.text == "== guards of finding_3.py\ntold\n");
  CHECK(pool->counts().fork_ready + pool->counts().fork_busy == 1);  // it may describe the environment meanwhile
}

TEST_CASE("a program's name cannot leave the folder of its job") {
  FakePool pool;
  CHECK(inspect(pool, "", "../../up.py").text == "== guards of up.py\ntold\n");
  CHECK(inspect(pool, "", "").text == "== guards of p41.py\ntold\n");
}

TEST_CASE("output that a tool wrote before its child died is kept") {
  FakePool pool;
  const auto result = inspect(pool, "# fake: die SIGSEGV at inductor.compile\n");
  REQUIRE(result.death.has_value());
  CHECK(result.death->signal == SIGSEGV);
  CHECK(result.death->step == Step::compile);
  CHECK(result.text == "== guards of finding_3.py\n");
  CHECK(result.death->output.find("about to die") != std::string::npos);
}

TEST_CASE("output that arrives after the end message is waited for and belongs to its own run") {
  FakePool pool;
  const auto late = inspect(pool, "# fake: last words late\n# fake: die SIGSEGV at inductor.compile\n");
  REQUIRE(late.death.has_value());
  CHECK(late.death->output == "about to die of SIGSEGV\nlate words\n");
  const auto next = inspect(pool, "# fake: die SIGSEGV at inductor.compile\n");
  REQUIRE(next.death.has_value());
  CHECK(next.death->output == "about to die of SIGSEGV\n");
}

TEST_CASE("a tool has one deadline and its text is kept") {
  FakePool pool([](GroupConfig& config) { config.deadlines.tool = std::chrono::seconds(6); });
  const auto result = inspect(pool, "# fake: hang at inductor.compile\n");
  REQUIRE(result.death.has_value());
  CHECK(result.death->hung);
  CHECK(result.text == "== guards of finding_3.py\n");
  CHECK(inspect(pool, "").text == "== guards of finding_3.py\ntold\n");
}

TEST_CASE("a tool that fails reports it") {
  FakePool pool;
  CHECK(inspect(pool, "# fake: tool fails\n").tool_failure == "asked for");
}

TEST_CASE("a link in place of the text is not followed") {
  FakePool pool;
  const auto secret = pool.folder().path() / "secret";
  write_file(secret, "not for anybody\n");
  const auto result = inspect(pool, "# fake: link " + secret.string() + " at inductor.compile\n");
  CHECK(result.text.empty());
}
