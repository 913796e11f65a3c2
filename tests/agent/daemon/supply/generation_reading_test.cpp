// Generation gives models chapters to read, and takes all programs of their replies.
#include <fmt/format.h>

#include <deque>

#include "agent/daemon/supply/generation.h"
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
        room_(sources_, nullptr, store_, {.rounds = 2, .nano_dollars = 1'000'000}, true),
        generation_(config_, prompts_, provider_, store_, scheduler_) {
    for (int turn = 0; turn < 100 && !room_.open(); ++turn) {
      room_.continue_scan(1'000);
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
    return generation_.drain_answers({}, 2'000, outbox);
  }

  Answered refuse(ReplyErrorKind kind) {
    provider_.answers.push_back({provider_.asked.back().first, tl::unexpected(ReplyError{.kind = kind})});
    Outbox outbox;
    auto answered = generation_.drain_answers({}, 2'000, outbox);
    for (const auto& send : outbox) send();
    return answered.at(0);
  }

  void fail() {
    provider_.answers.push_back({provider_.asked.back().first, tl::unexpected(ReplyError{.message = "gone"})});
    Outbox outbox;
    CHECK(generation_.drain_answers({}, 2'000, outbox)[0].arrivals.empty());
  }
  /// The others weigh next to nothing.
  void prefer(prompts::Reads what) {
    for (auto& each : prompts_.readings) each.weight = each.reads == what ? 1e9 : 1e-9;
  }
  /// The programs of the answer come to their ends, in order.
  void end(const Answered& answered, const std::vector<oracle::VerdictKind>& verdicts,
           const std::string& disposition = "ready") {
    for (std::size_t at = 0; at < answered.arrivals.size(); ++at) {
      const auto& arrival = answered.arrivals[at];
      auto row = tests::a_program(arrival.text);
      row.reply = arrival.reply;
      const auto program = tests::added(store_, row);
      store_.hypotheses.put(*arrival.reply, arrival.hypothesis, "", program.id);
      store_.programs.update(tests::finished(program, verdicts.at(at)));
      if (looked_ && verdicts[at] == oracle::VerdictKind::consistent) {
        store_.hypotheses.set_seen(store_.hypotheses.of_program(program.id)->id, "of x.py:1-9 ran: lines 1-4\n");
      }
      if (verdicts[at] != oracle::VerdictKind::inconsistent) continue;
      auto finding = tests::a_finding(program.id, fmt::format("hash {}", program.id));
      finding.disposition = oracle::disposition_from_text(disposition).value();
      store_.groups.add_occurrence(store_.findings.add(finding), program.id, "first", 2'000);
    }
    store_.replies.mark_processed(answered.row.id, "program");
  }

  /// Nobody looks at what agrees, from now on.
  void look_away() { looked_ = false; }
  void charge(store::ReplyRow row, std::int64_t nano_dollars) {
    row.cost_nano_dollars = nano_dollars;
    store_.replies.end(row);
  }

  [[nodiscard]] const Prompt& prompt() const { return provider_.asked.back().second; }
  store::Store& store() { return store_; }
  [[nodiscard]] const ReadingRoom& room() const { return room_; }
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
  bool looked_ = true;
  Scheduler scheduler_;
  Generation generation_;
};

/// The same with other programs.
std::string another(std::string text, const std::string& mark) {
  for (std::size_t at = text.find("import torch"); at != std::string::npos; at = text.find("import torch", at + 40))
    text.insert(at, "MARK = " + mark + "\n");
  return text;
}

std::string reply() { return testing::read_file(PARITYD_SOURCE_DIR "/tests/agent/llm/readings/plain.md"); }

}  // namespace

TEST_CASE("generation: a chapter is sent with the reader's contract and recorded as read") {
  Asking asking;
  asking.ask();
  CHECK(asking.prompt().strategy == "source");
  CHECK(asking.prompt().messages.front().text.find("hypothesis (check):") != std::string::npos);
  CHECK(asking.prompt().messages.back().text.find("torch 9.1.0+sample") == std::string::npos);
  CHECK(asking.prompt().messages.back().text.find("PyTorch 9.1.0+sample") != std::string::npos);
  const auto answered = asking.answer(reply());
  REQUIRE(answered.size() == 1);
  const auto reading = asking.store().readings.of(answered[0].row.id);
  REQUIRE(reading);
  CHECK(reading->kind == "chapter");
  CHECK_FALSE(reading->units.empty());
}

TEST_CASE("generation: each program of a reading is accepted, hypotheses without one are kept") {
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
  CHECK(asking.store().hypotheses.of_reply(answered[0].row.id).size() == 5);
  INFO("after a restart the same");
  CHECK(asking.generation().reread(answered[0].row).arrivals.size() == 3);
  CHECK(asking.store().hypotheses.of_reply(answered[0].row.id).size() == 5);
}

TEST_CASE("generation: a failed reading is not recorded as read") {
  Asking asking;
  asking.ask();
  const auto answered = asking.answer("", Finish::refusal);
  CHECK(answered[0].arrivals.empty());
  CHECK(answered[0].row.klass == "refusal");
  CHECK_FALSE(asking.store().readings.unit_readings().empty());  // it was read, for nothing
}

TEST_CASE("generation: outcomes are sent back as a conversation and only once") {
  using oracle::VerdictKind;
  Asking asking;
  asking.prefer(prompts::Reads::chapter);
  asking.ask();
  const std::string chapter = asking.prompt().messages.back().text;
  const auto first = asking.answer(reply());
  asking.prefer(prompts::Reads::outcomes);
  SECTION("not before all of them have ended") {
    asking.ask();
    CHECK(asking.prompt().strategy != "source_outcomes");
  }
  SECTION("what was said, then what came of it") {
    asking.end(first[0], {VerdictKind::inconsistent, VerdictKind::consistent, VerdictKind::invalid});
    asking.ask();
    CHECK(asking.prompt().strategy == "source_outcomes");
    const auto& messages = asking.prompt().messages;
    REQUIRE(messages.size() == 4);
    CHECK(messages[0].role == Message::Role::system);
    CHECK(messages[1].text == chapter);
    CHECK(messages[2].role == Message::Role::assistant);
    CHECK(messages[2].text == reply());
    CHECK(messages[3].text.find("Ask where else the same mistake stands") != std::string::npos);
    CHECK(messages[3].text.find("did the place you named run at all") != std::string::npos);
    CHECK(messages[3].text.find("Where eager raised an error") != std::string::npos);
    const auto second = asking.answer(
        "hypothesis: torch/x.py:f:1: another\n\n```python\nclass Model: pass\n\n\ndef "
        "get_inputs():\n    return []\n```\n");
    INFO("the same is not told again");
    asking.ask();
    CHECK(asking.prompt().strategy != "source_outcomes");
    const auto row = asking.store().replies.find(second[0].row.id).value();
    CHECK(row.prompt.find(chapter.substr(0, 100)) == std::string::npos);
    CHECK(asking.store().readings.of(row.id)->round == 1);
    CHECK(asking.store().readings.conversation(row.id).size() == 2);
    CHECK(asking.store().readings.unit_readings().front().readings == 1);
  }
  SECTION("what agreed is looked at first, and told") {
    asking.look_away();
    asking.end(first[0], {VerdictKind::inconsistent, VerdictKind::consistent, VerdictKind::invalid});
    asking.ask();
    CHECK(asking.prompt().strategy != "source_outcomes");
    const auto looks = asking.room().looks();
    REQUIRE(looks.size() == 1);
    CHECK(looks[0].hypothesis == asking.store().hypotheses.of_reply(first[0].row.id)[1].id);
    const std::string seen = GENERATE("of x.py:1-9 ran: none\nInductor wrote:\nauto tmp0", "");
    asking.store().hypotheses.set_seen(looks[0].hypothesis, seen);
    CHECK(asking.room().looks().empty());
    asking.ask();
    CHECK(asking.prompt().strategy == "source_outcomes");
    CHECK(asking.prompt().messages.back().text.find(seen) != std::string::npos);
  }
  SECTION("a model may give up") {
    asking.end(first[0], {VerdictKind::consistent, VerdictKind::consistent, VerdictKind::consistent});
    asking.ask();
    CHECK(asking.answer("none")[0].row.klass == kNothingLeft);
  }
}

TEST_CASE("generation: a conversation ends after its rounds, if nothing was shown, or at its cost limit") {
  using oracle::VerdictKind;
  Asking asking;
  asking.prefer(prompts::Reads::chapter);
  asking.ask();
  auto answered = asking.answer(reply());
  asking.prefer(prompts::Reads::outcomes);
  const auto goes_on = [&](const std::vector<VerdictKind>& verdicts) {
    asking.end(answered[0], verdicts);
    asking.ask();
    return asking.prompt().strategy == "source_outcomes";
  };
  const std::vector shown(3, VerdictKind::inconsistent), agreed(3, VerdictKind::consistent);
  SECTION("rounds") {
    CHECK(goes_on(shown));
    answered = asking.answer(another(reply(), "1"));
    CHECK(goes_on(shown));
    answered = asking.answer(another(reply(), "2"));
    CHECK_FALSE(goes_on(shown));
  }
  SECTION("nothing shown") {
    CHECK(goes_on(agreed));
    answered = asking.answer(another(reply(), "1"));
    CHECK_FALSE(goes_on(agreed));
  }
  SECTION("what is known is not shown") {
    CHECK(goes_on(agreed));
    answered = asking.answer(another(reply(), "1"));
    asking.end(answered[0], shown, "known(197893)");
    asking.ask();
    CHECK(asking.prompt().strategy != "source_outcomes");
  }
  SECTION("requests that fail") {
    CHECK(goes_on(shown));
    asking.fail();
    asking.ask();
    CHECK(asking.prompt().strategy == "source_outcomes");
    asking.fail();
    asking.ask();
    CHECK(asking.prompt().strategy != "source_outcomes");
  }
  SECTION("dollars") {
    asking.charge(answered[0].row, 2'000'000);
    CHECK_FALSE(goes_on(shown));
  }
}

TEST_CASE("generation: a strategy whose prompts exceed the context window pauses until one fits") {
  Asking asking;
  asking.prefer(prompts::Reads::chapter);
  for (int prompt = 1; prompt <= 3; ++prompt) {
    asking.ask();
    CHECK(asking.prompt().strategy == "source");
    auto answered = asking.refuse(ReplyErrorKind::too_large);
    if (answered.trimmed) answered = asking.refuse(ReplyErrorKind::too_large);
    CHECK(answered.rests == (prompt == 3));
  }
  asking.ask();
  CHECK(asking.prompt().strategy != "source");
  CHECK_FALSE(asking.answer("import torch\n")[0].rests);
}

TEST_CASE("generation: a provider that does not read source gets the usual prompts") {
  Asking asking(false);
  asking.ask();
  CHECK(asking.prompt().strategy != "source");
  CHECK(asking.store().readings.unit_readings().empty());
}

}  // namespace parityd::agent
