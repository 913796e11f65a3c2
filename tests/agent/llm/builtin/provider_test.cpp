#include <set>

#include "tests/agent/llm/builtin/fixture.h"

using namespace parityd::agent;

TEST_CASE("the corpus is replayed once, in an order that the seed decides") {
  testing::Builtin one(7);
  testing::Builtin same(7);
  testing::Builtin other(8);
  const std::size_t size = testing::corpus_size();
  std::set<std::string> replayed;
  std::size_t moved = 0;
  for (std::uint64_t position = 0; position < size; ++position) {
    const Reply reply = one.reply(position);
    CHECK(reply.from_corpus);
    CHECK(same.reply(position).text == reply.text);
    moved += other.reply(position).text == reply.text ? 0 : 1;
    replayed.insert(reply.model);
  }
  CHECK(replayed.size() == size);
  CHECK(moved > size / 2);
}

TEST_CASE("after a restart the replay continues where it stopped") {
  testing::Builtin one(3);
  testing::Builtin other(3);
  for (std::uint64_t position = 0; position < 5; ++position) (void)one.reply(position);
  CHECK(one.reply(5).text == other.reply(5).text);
}

TEST_CASE("after the corpus is exhausted the provider reports it and requests a pause") {
  testing::Builtin builtin(0);
  BuiltinProvider& provider = builtin.provider();
  provider.submit(1, Prompt{.strategy = "views", .messages = {}, .provider = "", .number = testing::corpus_size()}, {});
  const auto answers = provider.take_answers({});
  REQUIRE(answers.size() == 1);
  REQUIRE_FALSE(answers[0].reply.has_value());
  CHECK(answers[0].reply.error().kind == ReplyErrorKind::unavailable);
  CHECK(provider.capacity({}) == 0);
  CHECK_FALSE(provider.stopped().has_value());  // the daemon goes on without it
}

TEST_CASE("without a corpus the provider is not asked for anything") {
  const BuiltinProvider bred;
  CHECK(bred.name() == "bred");
  CHECK(bred.capacity({}) == 0);
  CHECK_FALSE(bred.stopped().has_value());
}

TEST_CASE("a reply says which strategy its program was written for") {
  testing::Builtin builtin(0);
  const Reply replayed = builtin.reply(0);
  CHECK(replayed.model.find("builtin/corpus/" + corpus_strategy(replayed) + "-") == 0);
  Reply foreign;
  foreign.model = "some-model";
  CHECK(corpus_strategy(foreign).empty());
}

TEST_CASE("the builtin provider costs nothing, takes few prompts at once and repairs no program") {
  testing::Builtin builtin(0);
  BuiltinProvider& provider = builtin.provider();
  CHECK_FALSE(provider.can_repair());
  CHECK(provider.reserve_nano_dollars({}) == 0);
  const int capacity = provider.capacity({});
  CHECK(capacity > 0);
  for (int at = 0; at < capacity; ++at) {
    provider.submit(
        at, Prompt{.strategy = "views", .messages = {}, .provider = "", .number = static_cast<std::uint64_t>(at)}, {});
  }
  CHECK(provider.capacity({}) == 0);
  REQUIRE(provider.next_deadline().has_value());
  CHECK(*provider.next_deadline() - TimePoint::clock::now() < TimePoint::duration::zero());  // now, and no overflow
  CHECK(provider.take_answers({}).size() == static_cast<std::size_t>(capacity));
  CHECK(provider.capacity({}) == capacity);
  CHECK_FALSE(provider.next_deadline().has_value());

  provider.submit(99, Prompt{.purpose = Purpose::repair, .strategy = "views", .messages = {}, .provider = ""}, {});
  const auto answers = provider.take_answers({});
  REQUIRE(answers.size() == 1);
  REQUIRE_FALSE(answers[0].reply.has_value());
  CHECK(answers[0].reply.error().kind == ReplyErrorKind::configuration);
}
