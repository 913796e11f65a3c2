// The reducer with workers that answer as the test says and a real syntax process.
#include "agent/daemon/program/reducer.h"

#include <algorithm>

#include "executor/syntax/syntax_client.h"
#include "tests/agent/daemon/program/asked_workers.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/oracle/builders.h"

using namespace parityd;
using namespace parityd::agent;
using oracle::Mode;

namespace {

constexpr executor::TimePoint kNow{};

/// Many statements that do not matter, and torch.argmax.
std::string program() {
  std::string text = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n";
  for (int number = 0; number < 12; ++number) {
    text += "        a" + std::to_string(number) + " = torch.sin(x) + " + std::to_string(number) + "\n";
  }
  text += "        y = torch.argmax(x)\n        return y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11\n";
  return text + "\n\ndef get_inputs():\n    return [torch.randn(9)]\n";
}

/// torch.argmax has other strides from aot_eager on; each sine is off by what precision casts explain.
void strides_beside_rounding(const executor::Job& job, oracle::Evidence& evidence) {
  const auto has = [&](const char* word) { return job.program.find(word) != std::string::npos; };
  const auto pair = [&](Mode expected, Mode actual, bool compiled, double off) {
    if (!evidence.outcomes.contains(expected) || !evidence.outcomes.contains(actual)) return;
    auto strided = oracle::test::same_leaf("output[1]");
    strided.stride_differs = compiled && has("argmax");
    oracle::test::measure(evidence, expected, actual, {oracle::test::off_leaf("output[0]", off), strided});
  };
  pair(Mode::eager, Mode::inductor, true, has("sin(x)") ? 0.01 : 0);
  pair(Mode::eager, Mode::eager_repeat, false, 0);
  pair(Mode::eager, Mode::dynamo_eager, false, 0);
  pair(Mode::reference, Mode::inductor_fp64, true, 0);
  for (const Mode mode : {Mode::inductor_precise, Mode::aot_eager, Mode::aot_eager_decomp_partition}) {
    pair(Mode::eager, mode, true, 0);
  }
}

/// torch.argmax is wrong in all that code is generated from, and in what is generated.
void wrong_in_graphs(const executor::Job& job, oracle::Evidence& evidence) {
  const bool wrong = job.program.find("argmax") != std::string::npos;
  const auto pair = [&](Mode expected, Mode actual, double off) {
    if (!evidence.outcomes.contains(expected) || !evidence.outcomes.contains(actual)) return;
    oracle::test::measure(evidence, expected, actual, {oracle::test::off_leaf("output[0]", wrong ? off : 0)});
  };
  for (const Mode mode : {Mode::inductor, Mode::inductor_precise, Mode::inductor_uncompiled})
    pair(Mode::eager, mode, 1);
  for (const Mode mode : {Mode::eager_repeat, Mode::dynamo_eager, Mode::aot_eager, Mode::aot_eager_decomp_partition}) {
    pair(Mode::eager, mode, 0);
  }
  pair(Mode::reference, Mode::inductor_fp64, 1);
}

struct Bench {
  AskedWorkers workers;
  executor::test::TemporaryFolder folder;
  executor::SyntaxClient syntax{"", executor::test::plain_python(), PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                                std::filesystem::temp_directory_path()};
  Examiner examiner{workers, folder.path(), 1};
  Reducer reducer{examiner, syntax};
  std::size_t most_waiting = 0;
  std::vector<Mode> shown_by{Mode::eager, Mode::inductor};
  std::string text = program();

  void begin(store::Id id, executor::GroupIndex group) {
    const auto evidence = workers.evidence({.program = text, .modes = shown_by});
    const auto verdict = oracle::judge(evidence);
    CAPTURE(verdict.explanation);
    REQUIRE(verdict.verdict == oracle::VerdictKind::inconsistent);
    reducer.begin({.program = id, .text = text, .group = group},
                  {.verdict = verdict, .evidence = evidence, .stage = oracle::first_differing_stage(evidence, verdict)},
                  {}, kNow);
    syntax.wait();
  }
  void turn(const std::vector<int>& places) {
    TrialRoom room = examiner.trial_room(places);
    reducer.send_trials(room, kNow);
    syntax.wait();
    most_waiting = std::max(most_waiting, workers.waiting().size());
  }
  void answer() {
    if (!workers.waiting().empty()) workers.answer_oldest();
    for (const auto& examined : examiner.drain_results(kNow)) reducer.on_result(examined, kNow);
  }
  /// One program, with so many places for trials.
  store::ReductionRow reduced(int places) {
    begin(1, 0);
    std::optional<store::ReductionRow> done;
    for (int each = 0; each < 10'000 && !done; ++each) {
      turn({places});
      answer();
      done = reducer.take_finished(1);
    }
    REQUIRE(done);
    return *done;
  }
};

}  // namespace

TEST_CASE("reducer: at most as many trials are queued as there is room, abandoned ones included") {
  Bench bench{.workers = AskedWorkers({{Mode::inductor, {"argmax", "+ 2", "+ 5", "+ 9"}}})};
  const auto done = bench.reduced(6);
  CHECK(done.statements < 5);
  CHECK(done.why == "nothing more can be removed");
  CHECK(done.text.find("argmax") != std::string::npos);
  CHECK(bench.most_waiting <= 6);
}

TEST_CASE(
    "reducer: a difference of an earlier stage is reduced at that stage and finally confirmed with the whole "
    "compiler") {
  const Mode part = GENERATE(Mode::aot_eager, Mode::inductor_uncompiled);
  Bench bench{.workers = AskedWorkers({{part, {"argmax"}}, {Mode::inductor, {"argmax"}}})};
  const auto done = bench.reduced(2);
  CHECK(done.statements == 1);
  CHECK(bench.workers.times(part) >= done.trials);
  CHECK(bench.workers.times(Mode::inductor) < done.trials);
  CHECK(bench.workers.times(Mode::inductor) > 1);
}

TEST_CASE("reducer: numbers that are wrong before code generation are tried without generating code") {
  Bench bench{.workers = AskedWorkers(wrong_in_graphs)};
  bench.shown_by = control_modes(oracle::Kind::numerical, Mode::inductor);
  const auto done = bench.reduced(2);
  CHECK(done.statements == 1);
  CHECK(bench.workers.times(Mode::inductor_uncompiled) >= done.trials);
  CHECK(bench.workers.times(Mode::inductor) < done.trials);
}

TEST_CASE("reducer: a difference that only an earlier step shows is not a smaller program") {
  Bench bench{.workers = AskedWorkers({{Mode::aot_eager, {"argmax"}}, {Mode::inductor, {"argmax", "sin(x) + 3"}}})};
  const auto done = bench.reduced(2);
  CHECK(done.text.find("sin(x) + 3") != std::string::npos);
}

TEST_CASE("reducer: a stride difference is kept beside rounding that two modes cannot excuse") {
  Bench bench{.workers = AskedWorkers(strides_beside_rounding)};
  bench.shown_by = control_modes(oracle::Kind::metadata, Mode::inductor);
  const auto done = bench.reduced(2);
  CHECK(done.why == "nothing more can be removed");
  CHECK(done.text.find("argmax") != std::string::npos);
  CHECK(done.statements == 1);
}

TEST_CASE("reducer: an unused value stays if computing it raises the error") {
  Bench bench{.workers = AskedWorkers({{Mode::inductor, {"argmin"}}})};
  bench.text.insert(bench.text.find("        y = "), "        unread = torch.argmin(x)\n");
  const auto done = bench.reduced(2);
  CHECK(done.why == "nothing more can be removed");
  CHECK(done.text.find("torch.argmin(x)") != std::string::npos);
  CHECK(done.text.find("argmax") == std::string::npos);
}

TEST_CASE("reducer: a group whose workers do not answer does not delay other groups") {
  Bench bench{.workers = AskedWorkers({{Mode::inductor, {"argmax"}}})};
  bench.begin(1, 0);
  bench.begin(2, 1);
  bench.answer();
  bench.answer();
  bench.turn({4, 2});
  const auto given = [&](executor::GroupIndex group) {
    return std::ranges::count_if(bench.workers.waiting(), [&](const auto& job) { return job.group == group; });
  };
  bench.turn({4, 2});
  CHECK(given(0) == 4);
  CHECK(given(1) == 2);
}
