// Cassettes: what was recorded is answered again, without a key in the file, and a miss names what is nearest.
#include "agent/llm/cassette.h"

#include "agent/llm/chat_provider.h"
#include "tests/agent/llm/builders.h"
#include "tests/agent/llm/fake_transport.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using testing::FakeTransport;

constexpr TimePoint kNow{std::chrono::hours(1)};
constexpr const char* kKey = "tk-9f8e7d6c5b4a-not-a-real-key";

Answer answer_of(ChatProvider& provider, const std::string& text) {
  static RequestId id = 0;
  provider.submit(++id, testing::prompt_of(text), kNow);
  auto now = kNow;
  for (int turn = 0; turn < 20; ++turn) {
    for (auto& answer : provider.take_answers(now)) {
      return std::move(answer);
    }
    now = provider.next_deadline().value_or(now);
  }
  FAIL("no answer");
  return {};
}

/// What two prompts get, the first of them twice, with a server that echoes the key.
std::filesystem::path recorded(const testing::Folder& folder) {
  const auto file = folder.path() / "cassette.jsonl";
  int count = 0;
  FakeTransport server([&](const HttpRequest&) -> HttpResult {
    auto response = testing::completion("reply " + std::to_string(++count));
    response.headers = {{"x-request-for", kKey}, {"content-type", "application/json"}, {"set-cookie", "secret=1"}};
    if (count == 3) {
      return testing::failure(401, std::string("wrong key ") + kKey);
    }
    return response;
  });
  auto recorder = CassetteRecorder::open(file, server);
  REQUIRE(recorder);
  auto config = testing::provider_at("https://api.example.com/v1");
  config.capabilities.seed = true;
  ChatProvider provider(config, Secret(kKey), **recorder, 1);
  CHECK(answer_of(provider, "first").reply->text == "reply 1");
  CHECK(answer_of(provider, "first").reply->text == "reply 2");
  CHECK_FALSE(answer_of(provider, "second").reply);
  return file;
}

}  // namespace

TEST_CASE("a cassette contains requests and answers but no key, host or cookie") {
  const testing::Folder folder;
  const std::string text = testing::read_file(recorded(folder));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find("first") != std::string::npos);
  CHECK(text.find("wrong key ***") != std::string::npos);
  for (const char* secret : {kKey, "tk-9f", "example.com", "cookie", "authorization"}) {
    CAPTURE(secret);
    CHECK(text.find(secret) == std::string::npos);
  }
}

TEST_CASE("a cassette replays the server's answers in order at no cost, whatever the host and the seed") {
  const testing::Folder folder;
  auto replayer = CassetteReplayer::open(recorded(folder));
  REQUIRE(replayer);
  auto config = testing::provider_at("http://localhost:1/v1");
  config.replay = "x";
  ChatProvider provider(config, {}, **replayer, 1);
  const Answer first = answer_of(provider, "first");
  REQUIRE(first.reply);
  CHECK(first.reply->text == "reply 1");
  CHECK(first.reply->usage.prompt_tokens == 10);
  CHECK(first.reply->cost_nano_dollars == 0);
  CHECK(answer_of(provider, "first").reply->text == "reply 2");
  SECTION("an error is replayed, too") {
    const Answer second = answer_of(provider, "second");
    REQUIRE_FALSE(second.reply);
    CHECK(second.reply.error().kind == ReplyErrorKind::authentication);
  }
  SECTION("a third answer was not recorded") {
    const Answer third = answer_of(provider, "first");
    REQUIRE_FALSE(third.reply);
    CHECK(third.reply.error().message.find("every answer") != std::string::npos);
    CHECK(provider.stopped());
  }
}

TEST_CASE("a cassette miss names the nearest entry and where it differs") {
  const testing::Folder folder;
  auto replayer = CassetteReplayer::open(recorded(folder));
  REQUIRE(replayer);
  ChatProvider provider(testing::provider_at("http://localhost:1/v1"), {}, **replayer, 1);
  const Answer miss = answer_of(provider, "seconds later");
  REQUIRE_FALSE(miss.reply);
  const ReplyError& error = miss.reply.error();
  CHECK(error.kind == ReplyErrorKind::configuration);
  CHECK(error.message.find("the nearest is line 3") != std::string::npos);
  CHECK(error.message.find("seconds later") != std::string::npos);
  CHECK_FALSE(error.outcome_unknown);
}

TEST_CASE("an invalid cassette is refused with its line") {
  const testing::Folder folder;
  const auto broken =
      CassetteReplayer::open(folder.write("b.jsonl", "{\"request\": {}, \"response\": {}}\nnot JSON\n"));
  REQUIRE_FALSE(broken);
  CHECK(broken.error().find("b.jsonl:2: is no recorded request") != std::string::npos);
  CHECK_FALSE(CassetteReplayer::open(folder.path() / "nowhere.jsonl"));
  FakeTransport server([](const HttpRequest&) -> HttpResult { return testing::completion("ok"); });
  CHECK_FALSE(CassetteRecorder::open(folder.path() / "no folder" / "c.jsonl", server));
}

}  // namespace parityd::agent
