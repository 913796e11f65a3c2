// The attributor on a pool of fake workers: warm runs with neutralisers, judged, until there is a result.
#include "agent/daemon/program/attributor.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd;
using namespace parityd::agent;
using oracle::Mode;

namespace {

using Set = std::vector<oracle::Neutraliser>;

const std::string kWrong =
    "# fake: value eager=1.0 inductor=2.0\n"
    "# fake: operators aten.add.Tensor,aten.amin.default,aten.mul.Tensor,aten.sin.default\n";
const Place kPlace{.torch = "2.13.0+cpu"};

oracle::Shown wrong_values(const oracle::Evidence& evidence) {
  return {.verdict = {oracle::VerdictKind::inconsistent, oracle::Kind::numerical, "numbers.double_run", "", {"output"}},
          .evidence = evidence};
}

Attributor attributed(const std::string& program, executor::test::FakePool& pool) {
  Examiner examiner(*pool, pool.folder().path() / "rounds", 1);
  const auto judged = pool.run(program).evidence;
  Attributor attributor(examiner, {.program = 1, .text = program}, wrong_values(judged), kPlace);
  attributor.begin(oracle::Stage::inductor, executor::Clock::now());
  pool.until([&] {
    for (const auto& examined : examiner.drain_results(executor::Clock::now())) {
      attributor.on_result(examined, executor::Clock::now());
    }
    return attributor.done();
  });
  return attributor;
}

}  // namespace

TEST_CASE("attributor: the operator whose lowering causes the difference is found") {
  executor::test::FakePool pool([](executor::GroupConfig& config) { config.warm_workers = 3; });
  const auto found = attributed(kWrong + "# fake: cured by aten.amin.default\n", pool);
  CHECK(found.result().neutraliser == Set{{oracle::NeutraliserKind::lowering, "aten.amin.default"}});
  CHECK(found.stage() == oracle::Stage::inductor);
  CHECK(found.runs() <= oracle::Attribution::kMostRuns);
  CHECK(found.runs() == static_cast<int>(found.result().tried.size()));
}

TEST_CASE("attributor: the setting that removes the difference is the workaround") {
  executor::test::FakePool pool;
  const auto found = attributed(kWrong + "# fake: cured by inductor.cpp.simdlen\n", pool);
  REQUIRE(found.result().workaround.has_value());
  CHECK(found.result().workaround->python == "torch._inductor.config.cpp.simdlen = 1");
}

TEST_CASE("attributor: no ablation removes the difference") {
  executor::test::FakePool pool;
  CHECK(attributed(kWrong, pool).result().neutraliser.empty());
}

TEST_CASE("attributor: the search receives the facts of the program") {
  oracle::Evidence evidence;
  evidence.compiled = Mode::inductor_freezing;
  evidence.outcomes[Mode::inductor_freezing].lowered = {"aten.mm.default"};
  evidence.outcomes[Mode::inductor_freezing].decomposed = {"aten.linear.default"};
  const auto plain = attribution_facts({.text = "def f(): pass"}, evidence, oracle::Stage::aot_eager, kPlace);
  CHECK(plain.compiled == Mode::inductor_freezing);
  CHECK(plain.lowered == std::vector<std::string>{"aten.mm.default"});
  CHECK(plain.decomposed == std::vector<std::string>{"aten.linear.default"});
  CHECK(plain.stage == oracle::Stage::aot_eager);
  CHECK(!plain.dynamic);
  CHECK(!plain.backward);
  CHECK(plain.program == "def f(): pass");
  for (const char* const options :
       {R"({"dynamic": true})", R"({"calls": 2})", R"({"mark_dynamic": [[0, 1]]})", R"({"backward": true})"}) {
    CAPTURE(options);
    const auto facts = attribution_facts({.options_json = options}, evidence, oracle::Stage::inductor,
                                         {.torch = "2.6.0", .device = oracle::DeviceKind::cuda});
    CHECK(facts.dynamic != facts.backward);
    CHECK(facts.device == oracle::DeviceKind::cuda);
  }
  CHECK(!attribution_facts({.options_json = R"({"calls": 1, "mark_dynamic": []})"}, evidence, oracle::Stage::inductor,
                           kPlace)
             .dynamic);
}
