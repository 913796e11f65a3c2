#include <map>
#include <set>

#include "tests/agent/builtin/fixture.h"

using namespace parityd::agent;

TEST_CASE("the corpus is replayed once, with composed programs between, then mutants and composed ones follow") {
  testing::Builtin builtin(7);
  const std::uint64_t length = builtin.provider().replay_length();
  std::map<std::string, int> replayed;
  for (std::uint64_t position = 0; position < length; ++position) {
    const Reply reply = builtin.reply(position);
    CHECK(reply.origin == (position % 2 == 0 ? "corpus" : "composed"));
    if (reply.origin == "corpus") ++replayed[reply.model];
  }
  CHECK(replayed.size() == length / 2);
  std::map<std::string, int> origins;
  for (std::uint64_t position = length; position < length + 200; ++position) ++origins[builtin.reply(position).origin];
  CHECK(origins["corpus"] == 0);
  CHECK(origins["mutant"] > 90);
  CHECK(origins["composed"] > 50);
}

TEST_CASE("an answer depends on seed and position alone, so a restart goes on where it was") {
  testing::Builtin one(3);
  testing::Builtin other(3);
  testing::Builtin different(4);
  const std::uint64_t length = one.provider().replay_length();
  int differing = 0;
  for (const std::uint64_t position :
       {std::uint64_t{0}, std::uint64_t{5}, length, length + 3, length + 4, length + 10, length + 11}) {
    const Reply reply = one.reply(position);
    (void)other.reply(position + 1);
    CHECK(other.reply(position).text == reply.text);
    CHECK_FALSE(reply.text.empty());
    differing += different.reply(position).text == reply.text ? 0 : 1;
  }
  CHECK(differing >= 5);
}

TEST_CASE("a mutant differs from its parent and is one fenced program") {
  testing::Builtin builtin(11);
  const auto corpus = load_corpus(testing::shipped_corpus());
  REQUIRE(corpus.has_value());
  std::map<std::string, std::string> programs;
  for (const CorpusItem& item : *corpus) programs[item.name] = item.program;
  int mutants = 0;
  for (std::uint64_t position = builtin.provider().replay_length(); mutants < 30; ++position) {
    const Reply reply = builtin.reply(position);
    if (reply.origin != "mutant") continue;
    ++mutants;
    const std::string program = fenced_program(reply.text);
    const std::string parent = reply.model.substr(std::string("builtin/mutant/").size());
    CAPTURE(parent);
    REQUIRE(programs.count(parent) == 1);
    CHECK_FALSE(program.empty());
    CHECK(program != programs[parent]);
  }
}

TEST_CASE("a reply says which strategy its program was written for") {
  testing::Builtin builtin(0);
  const Reply replayed = builtin.reply(0);
  CHECK(replayed.model.find("builtin/corpus/" + corpus_strategy(replayed) + "-") == 0);
  CHECK(corpus_strategy(builtin.reply(1)).empty());
  Reply foreign;
  foreign.model = "some-model";
  CHECK(corpus_strategy(foreign).empty());
}

TEST_CASE("it costs nothing, takes few prompts at once and repairs none") {
  testing::Builtin builtin(0);
  BuiltinProvider& provider = builtin.provider();
  CHECK_FALSE(provider.can_repair());
  CHECK(provider.reserve_nano_dollars({}) == 0);
  const int capacity = provider.capacity({});
  CHECK(capacity > 0);
  for (int at = 0; at < capacity; ++at) {
    provider.submit(
        at, Prompt{Purpose::generate, "views", {}, provider.replay_length() + static_cast<std::uint64_t>(at)}, {});
  }
  CHECK(provider.capacity({}) == 0);
  builtin.syntax().wait();
  CHECK(provider.next_deadline().has_value());
  CHECK(provider.take_answers({}).size() == static_cast<std::size_t>(capacity));
  CHECK(provider.capacity({}) == capacity);
  CHECK_FALSE(provider.next_deadline().has_value());

  provider.submit(99, Prompt{Purpose::repair, "views", {}, 0}, {});
  const auto answers = provider.take_answers({});
  REQUIRE(answers.size() == 1);
  REQUIRE_FALSE(answers[0].reply.has_value());
  CHECK(answers[0].reply.error().kind == ReplyErrorKind::configuration);
}

TEST_CASE("without a syntax process there are composed programs in place of mutants") {
  parityd::executor::SyntaxClient broken("", testing::test_python(), "/nonexistent/syntax.py");
  BuiltinProvider provider(testing::shipped_corpus(), broken, 1);
  for (std::uint64_t at = 0; at < 5; ++at) {
    provider.submit(static_cast<RequestId>(at), Prompt{Purpose::generate, "views", {}, provider.replay_length() + at},
                    {});
    broken.wait();
  }
  const auto answers = provider.take_answers({});
  REQUIRE(answers.size() == 5);
  for (const Answer& answer : answers) {
    REQUIRE(answer.reply.has_value());
    CHECK(answer.reply->origin == "composed");
  }
}
