// Generation gives models chapters to read, and takes all programs of their replies.
#include <deque>

#include "agent/daemon/generation.h"
#include "executor/syntax/source_client.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"
#include "tests/executor/syntax/fixture.h"
#include "tests/store/fixture.h"

namespace parityd::agent {
namespace {

/// Keeps prompts, and answers when told to.
class Listener final : public Provider {
 public:
  explicit Listener(bool reads) : reads_(reads) {}
  [[nodiscard]] std::string name() const override { return "listener"; }
  [[nodiscard]] std::string model() const override { return "m"; }
  [[nodiscard]] bool can_repair() const override { return reads_; }
  [[nodiscard]] int capacity(TimePoint) const override { return 4; }
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt&) const override { return 0; }
  void submit(RequestId id, Prompt prompt, TimePoint) override { asked.emplace_back(id, std::move(prompt)); }
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint) override { return std::exchange(answers, {}); }
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override { return std::nullopt; }

  std::deque<std::pair<RequestId, Prompt>> asked;
  std::vector<Answer> answers;

 private:
  bool reads_;
};

class Asking {
 public:
  explicit Asking(bool reads = true)
      : provider_(reads),
        prompts_(only_reading()),
        store_(folder_.database(), store::Access::write),
        sources_({.launcher = {},
                  .python = executor::testing::test_python(),
                  .script = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                  .scratch = folder_.path() / "scratch"},
                 PARITYD_SOURCE_DIR "/tests/executor/syntax/sample/torch"),
        room_(sources_, store_),
        generation_(config_, prompts_, provider_, store_, scheduler_) {
    for (int turn = 0; turn < 100 && !room_.open(); ++turn) {
      room_.service(1'000);
      sources_.wait();
    }
    generation_.read_in(room_);
  }

  void ask() {
    Outbox outbox;
    REQUIRE(generation_.ask({}, 1'000, outbox));
    for (const auto& send : outbox) send();
  }
  std::vector<Answered> answer(const std::string& text, Finish finish = Finish::stop) {
    provider_.answers.push_back({provider_.asked.back().first, Reply{.text = text, .finish = finish}});
    Outbox outbox;
    return generation_.take({}, 2'000, outbox);
  }

  [[nodiscard]] const Prompt& prompt() const { return provider_.asked.back().second; }
  store::Store& store() { return store_; }
  [[nodiscard]] const Generation& generation() const { return generation_; }

 private:
  /// The others weigh next to nothing.
  static prompts::PromptSet only_reading() {
    auto prompts = prompts::load_prompts(PARITYD_SOURCE_DIR "/prompts", {}).value();
    for (auto& each : prompts.strategies) each.weight = 1e-9;
    for (auto& each : prompts.readings) each.weight = 1e9;
    return prompts;
  }

  Listener provider_;
  Config config_;
  prompts::PromptSet prompts_;
  tests::Folder folder_;
  store::Store store_;
  executor::SourceClient sources_;
  ReadingRoom room_;
  Scheduler scheduler_;
  Generation generation_;
};

std::string reply() { return testing::read_file(PARITYD_SOURCE_DIR "/tests/agent/llm/readings/plain.md"); }

}  // namespace

TEST_CASE("generation: a chapter goes out as the reader's contract and its text, and is noted as read") {
  Asking asking;
  asking.ask();
  CHECK(asking.prompt().strategy == "source");
  CHECK(asking.prompt().messages.front().text.find("hypothesis (check):") != std::string::npos);
  CHECK(asking.prompt().messages.back().text.find("torch 9.1.0+sample") == std::string::npos);
  CHECK(asking.prompt().messages.back().text.find("PyTorch 9.1.0+sample") != std::string::npos);
  const auto answered = asking.answer(reply());
  REQUIRE(answered.size() == 1);
  const auto reading = asking.store().reading_of(answered[0].row.id);
  REQUIRE(reading);
  CHECK(reading->kind == "chapter");
  CHECK_FALSE(reading->units.empty());
}

TEST_CASE("generation: each program of a reading arrives, those without one are kept as hypotheses") {
  Asking asking;
  asking.ask();
  const auto answered = asking.answer(reply());
  REQUIRE(answered.size() == 1);
  const auto& arrivals = answered[0].arrivals;
  REQUIRE(arrivals.size() == 3);
  CHECK(arrivals[0].hypothesis == 1);
  CHECK(arrivals[2].hypothesis == 3);
  CHECK(arrivals[1].text.find("x.t().clone()") != std::string::npos);
  CHECK(arrivals[0].seed != arrivals[1].seed);
  CHECK(arrivals[0].strategy == "source");
  CHECK(asking.store().hypotheses_of(answered[0].row.id).size() == 5);
  INFO("after a restart the same");
  CHECK(asking.generation().reread(answered[0].row).arrivals.size() == 3);
  CHECK(asking.store().hypotheses_of(answered[0].row.id).size() == 5);
}

TEST_CASE("generation: a reading that failed is none") {
  Asking asking;
  asking.ask();
  const auto answered = asking.answer("", Finish::refusal);
  CHECK(answered[0].arrivals.empty());
  CHECK(answered[0].row.klass == "refusal");
  CHECK_FALSE(asking.store().unit_readings().empty());  // it was read, for nothing
}

TEST_CASE("generation: who does not read is asked the usual way") {
  Asking asking(false);
  asking.ask();
  CHECK(asking.prompt().strategy != "source");
  CHECK(asking.store().unit_readings().empty());
}

}  // namespace parityd::agent
