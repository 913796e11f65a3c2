// The sweeper on a pool of fake workers and a real syntax process.
#include "agent/daemon/program/sweeper.h"

#include "executor/syntax/syntax_client.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd;
using namespace parityd::agent;

namespace {

std::string program(const std::string& deeds) {
  return deeds +
         "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
         "        return torch.argmax(x)\n\n\ndef get_inputs():\n    return [torch.randn(9)]\n";
}

const std::string kWrong =
    "# fake: value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0 "
    "inductor_dynamic=2.0 inductor_freezing=1.0\n";

struct Swept {
  std::string extent;
  int runs = 0;
};

Swept swept(const std::string& text, int workers = 3) {
  executor::test::FakePool pool([&](executor::GroupConfig& config) { config.warm_workers = workers; });
  executor::SyntaxClient syntax("", executor::test::plain_python(), PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                                std::filesystem::temp_directory_path());
  Examiner examiner(*pool, pool.folder().path() / "rounds", 1);
  const oracle::Shown shown{.verdict = {oracle::VerdictKind::inconsistent, oracle::Kind::numerical, "", "", {}},
                            .evidence = {}};
  Sweeper sweeper(examiner, syntax, {.program = 1, .text = text}, shown);
  sweeper.begin("cpu", {}, "");
  syntax.wait();
  pool.until([&] {
    TrialRoom room = examiner.trial_room({workers});
    sweeper.send_trials(room, executor::Clock::now());
    for (const auto& examined : examiner.drain_results(executor::Clock::now())) sweeper.on_result(examined);
    return sweeper.done();
  });
  return {.extent = oracle::extent(sweeper.tried()), .runs = sweeper.runs()};
}

}  // namespace

TEST_CASE("sweeper: siblings, dtypes, sizes and modes are described in one sentence") {
  const auto sentence =
      swept(program(kWrong + "# fake: healthy where torch.float64\n# fake: healthy where torch.randn(8)\n"));
  CHECK(sentence.extent ==
        "argmax and argmin alike; float32, float16 and bfloat16 (not float64); ≥ 9 elements (8 do not); inductor and "
        "inductor_dynamic (not inductor_freezing)");
}

TEST_CASE("sweeper: a program that kills a worker each time is given up") {
  const auto found = swept(program("# fake: die SIGSEGV at inductor.compile\n"), 1);
  CHECK(found.runs == Sweeper::kMostLostWorkers);
}
