// The reducer with workers that answer as the test says and a real syntax process.
#include "agent/daemon/reducer.h"

#include <algorithm>
#include <deque>
#include <functional>

#include "executor/syntax/syntax_client.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/oracle/builders.h"

using namespace parityd;
using namespace parityd::agent;
using oracle::Mode;

namespace {

constexpr executor::TimePoint kNow{};

using Measure = std::function<void(const executor::Job& job, oracle::Evidence& evidence)>;

/// Keeps what it is given until the test has it answered. A mode raises where the text has all words that stand for it.
class AskedWorkers final : public executor::Workers {
 public:
  explicit AskedWorkers(std::map<Mode, std::vector<std::string>> raises) : raises_(std::move(raises)) {}
  explicit AskedWorkers(Measure measure) : measure_(std::move(measure)) {}

  void answer_oldest() {
    executor::Job job = std::move(waiting_.front());
    waiting_.pop_front();
    executor::JobResult result{.id = job.id, .evidence = evidence(job), .seconds = 1};
    results_.push_back(std::move(result));
  }
  [[nodiscard]] const std::deque<executor::Job>& waiting() const { return waiting_; }
  [[nodiscard]] int times(Mode mode) const {
    return static_cast<int>(std::ranges::count_if(
        modes_, [&](const auto& modes) { return std::ranges::find(modes, mode) != modes.end(); }));
  }
  [[nodiscard]] oracle::Evidence evidence(const executor::Job& job) const {
    oracle::Evidence told;
    for (const Mode mode : job.modes) {
      oracle::Outcome& outcome = told.outcomes[mode];
      outcome = oracle::test::ran();
      const auto words = raises_.find(mode);
      const auto has = [&](const std::string& word) { return job.program.find(word) != std::string::npos; };
      if (words != raises_.end() && std::ranges::all_of(words->second, has)) {
        outcome.kind = oracle::OutcomeKind::raised;
        outcome.step = oracle::Step::compile;
        outcome.error = oracle::ErrorReport{.outer_class = "ValueError", .inner_class = "ValueError", .message = "no"};
      }
    }
    if (measure_) measure_(job, told);
    return told;
  }

  void submit(executor::Job job, executor::TimePoint) override {
    modes_.push_back(job.modes);
    waiting_.push_back(std::move(job));
  }
  [[nodiscard]] std::vector<executor::JobResult> take_results() override { return std::exchange(results_, {}); }
  void append_interests(std::vector<executor::Interest>&) const override {}
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const override { return {}; }
  void service(executor::TimePoint) override {}
  void hand_out(executor::TimePoint) override {}
  [[nodiscard]] std::vector<executor::PoolNotice> take_notices() override { return {}; }
  [[nodiscard]] std::vector<executor::WorkerSeconds> take_seconds(executor::TimePoint) override { return {}; }
  [[nodiscard]] std::size_t groups() const override { return 2; }
  [[nodiscard]] const executor::GroupConfig& config(executor::GroupIndex) const override { return config_; }
  [[nodiscard]] int free_warm(executor::GroupIndex) const override { return 1; }
  [[nodiscard]] int free_fresh(executor::GroupIndex) const override { return 1; }
  [[nodiscard]] executor::PoolCounts counts() const override { return {}; }
  [[nodiscard]] executor::PoolCounts counts(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<executor::Hello> hello(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> broken(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> parked(executor::GroupIndex) const override { return {}; }
  [[nodiscard]] std::optional<std::string> short_of_files() const override { return {}; }
  [[nodiscard]] const executor::EnvironmentResult& environment(executor::GroupIndex) const override {
    return environment_;
  }

 private:
  std::map<Mode, std::vector<std::string>> raises_;
  Measure measure_;
  std::deque<executor::Job> waiting_;
  std::vector<executor::JobResult> results_;
  std::vector<std::vector<Mode>> modes_;
  executor::GroupConfig config_;
  executor::EnvironmentResult environment_;
};

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
    reducer.service(room, kNow);
    syntax.wait();
    most_waiting = std::max(most_waiting, workers.waiting().size());
  }
  void answer() {
    if (!workers.waiting().empty()) workers.answer_oldest();
    for (const auto& examined : examiner.take(kNow)) reducer.take(examined, kNow);
  }
  /// One program, with so many places for trials.
  store::ReductionRow reduced(int places) {
    begin(1, 0);
    std::vector<store::ReductionRow> done;
    for (int each = 0; each < 10'000 && done.empty(); ++each) {
      turn({places});
      answer();
      done = reducer.take_finished();
    }
    REQUIRE(done.size() == 1);
    return done.front();
  }
};

}  // namespace

TEST_CASE("reducer: no more trials wait than there is room for, also those that nobody waits for any more") {
  Bench bench{.workers = AskedWorkers({{Mode::inductor, {"argmax", "+ 2", "+ 5", "+ 9"}}})};
  const auto done = bench.reduced(6);
  CHECK(done.statements < 5);
  CHECK(done.why == "nothing more can go");
  CHECK(done.text.find("argmax") != std::string::npos);
  CHECK(bench.most_waiting <= 6);
}

TEST_CASE("reducer: what an early step of the compiler shows is tried there, and shown by the whole of it at last") {
  Bench bench{.workers = AskedWorkers({{Mode::aot_eager, {"argmax"}}, {Mode::inductor, {"argmax"}}})};
  const auto done = bench.reduced(2);
  CHECK(done.statements == 1);
  CHECK(bench.workers.times(Mode::aot_eager) >= done.trials);
  CHECK(bench.workers.times(Mode::inductor) < done.trials);
  CHECK(bench.workers.times(Mode::inductor) > 1);
}

TEST_CASE("reducer: what only an early step shows is no smaller program") {
  Bench bench{.workers = AskedWorkers({{Mode::aot_eager, {"argmax"}}, {Mode::inductor, {"argmax", "sin(x) + 3"}}})};
  const auto done = bench.reduced(2);
  CHECK(done.text.find("sin(x) + 3") != std::string::npos);
}

TEST_CASE("reducer: strides are found again beside rounding that two modes cannot excuse") {
  Bench bench{.workers = AskedWorkers(strides_beside_rounding)};
  bench.shown_by = closer_modes(oracle::Kind::metadata, Mode::inductor);
  const auto done = bench.reduced(2);
  CHECK(done.why == "nothing more can go");
  CHECK(done.text.find("argmax") != std::string::npos);
  CHECK(done.statements == 1);
}

TEST_CASE("reducer: what is computed for nobody stays where it is what raises") {
  Bench bench{.workers = AskedWorkers({{Mode::inductor, {"argmin"}}})};
  bench.text.insert(bench.text.find("        y = "), "        unread = torch.argmin(x)\n");
  const auto done = bench.reduced(2);
  CHECK(done.why == "nothing more can go");
  CHECK(done.text.find("torch.argmin(x)") != std::string::npos);
  CHECK(done.text.find("argmax") == std::string::npos);
}

TEST_CASE("reducer: a group whose workers answer nothing keeps no other's waiting") {
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
