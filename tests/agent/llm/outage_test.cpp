// A provider through outages and surprises, with a server and a clock in the test's hand: days pass in milliseconds.
#include <vector>

#include "agent/llm/chat_provider.h"
#include "tests/agent/llm/builders.h"
#include "tests/agent/llm/fake_transport.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::FakeTransport;

constexpr TimePoint kStart{std::chrono::hours(1)};

/// A daemon that always wants replies: it submits wherever there is room and sleeps until the provider's deadline.
class Asker {
 public:
  explicit Asker(FakeTransport& transport)
      : provider_(testing::provider_at("https://api.example.com/v1"), {}, transport, 1) {}

  /// Or until a reply comes.
  void run_until(TimePoint end, TimePoint& now) {
    while (now < end && !first_reply) {
      for (auto& answer : provider_.take_answers(now)) {
        cost += answer.reply ? answer.reply->cost_nano_dollars : answer.reply.error().cost_nano_dollars;
        first_reply = answer.reply && !first_reply ? std::optional(now) : first_reply;
        answers.push_back(std::move(answer));
      }
      while (provider_.capacity(now) > 0 && answers.size() < 100'000) {
        provider_.submit(++id_, testing::prompt_of("one"), now);
      }
      now = std::max(provider_.next_deadline().value_or(now + 500ms), now + 1ms);
    }
  }

  std::vector<Answer> answers;
  std::int64_t cost = 0;
  std::optional<TimePoint> first_reply;

 private:
  ChatProvider provider_;
  RequestId id_ = 0;
};

}  // namespace

TEST_CASE("fault 27: a day without a server costs nothing, and its return is noticed within a minute") {
  const auto down = GENERATE(0, 503);
  CAPTURE(down);
  TimePoint now = kStart;
  const TimePoint back = kStart + 24h + 7s;
  FakeTransport transport([&](const HttpRequest&) -> HttpResult {
    if (now >= back) {
      return testing::completion("ok");
    }
    if (down == 0) {
      return tl::unexpected(HttpError{.kind = HttpError::Kind::connect, .message = "refused"});
    }
    return testing::failure(down, "no");
  });
  Asker asker(transport);
  asker.run_until(back, now);
  CHECK(asker.cost == 0);
  CHECK_FALSE(asker.first_reply);
  CHECK(transport.requests <= 60);  // what was in flight when it began, until the breaker parked
  CHECK(transport.probes <= 24 * 3600 / 40);
  asker.run_until(back + 1min, now);
  REQUIRE(asker.first_reply);
  CHECK(*asker.first_reply - back <= 1min);
}

TEST_CASE("fault 27: a server that accepts requests and never answers is asked at decreasing frequency") {
  TimePoint now = kStart;
  FakeTransport transport([&](const HttpRequest& request) -> HttpResult {
    if (request.get) {
      return HttpResponse{.status = 200, .headers = {}, .body = "{}"};
    }
    return tl::unexpected(HttpError{.kind = HttpError::Kind::timeout, .message = "late", .sent = true});
  });
  Asker asker(transport);
  asker.run_until(kStart + 24h, now);
  CHECK(transport.requests < 120);  // one in a quarter of an hour, after the first few
  CHECK(asker.cost > 0);
}

TEST_CASE("a field that the model refuses is omitted at once and permanently, and the operator is told once") {
  std::vector<json> bodies;
  FakeTransport transport([&](const HttpRequest& request) -> HttpResult {
    bodies.push_back(json::parse(request.body));
    return bodies.back().contains("temperature") ? testing::failure(400, "Unsupported", "temperature")
                                                 : testing::completion("ok");
  });
  ProviderConfig config = testing::provider_at("https://api.example.com/v1");
  config.temperature = 0.5;
  config.capabilities.temperature = true;
  ChatProvider provider(config, {}, transport, 1);
  provider.submit(1, testing::prompt_of("one"), kStart);
  provider.submit(2, testing::prompt_of("two"), kStart);
  std::vector<Answer> answers;
  for (int turn = 0; turn < 4; ++turn) {
    for (auto& answer : provider.take_answers(kStart)) {
      answers.push_back(std::move(answer));
    }
  }
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].reply.has_value());
  CHECK(answers[1].reply.has_value());
  CHECK(bodies.size() == 4);
  provider.submit(3, testing::prompt_of("three"), kStart);
  CHECK(bodies.size() == 5);
  CHECK_FALSE(bodies.back().contains("temperature"));
  const auto notices = provider.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].text.find("does not accept temperature") != std::string::npos);
  CHECK_FALSE(provider.stopped());
}

TEST_CASE("a server that still refuses an omitted field stops the provider instead of being asked forever") {
  FakeTransport transport(
      [](const HttpRequest&) -> HttpResult { return testing::failure(400, "Unsupported", "max_tokens"); });
  ProviderConfig config = testing::provider_at("https://api.example.com/v1");
  config.capabilities.token_limit_field = "max_tokens";
  ChatProvider provider(config, {}, transport, 1);
  provider.submit(1, testing::prompt_of("one"), kStart);
  std::vector<Answer> answers;
  for (int turn = 0; turn < 10 && answers.empty(); ++turn) {
    answers = provider.take_answers(kStart);
  }
  REQUIRE(answers.size() == 1);
  CHECK(transport.requests == 2);
  CHECK(provider.stopped());
}

TEST_CASE("an empty reply cut by the token limit raises the limit once for later requests") {
  std::vector<int> limits;
  FakeTransport transport([&](const HttpRequest& request) -> HttpResult {
    limits.push_back(json::parse(request.body).at("max_completion_tokens"));
    auto response = testing::completion("");
    response.body.replace(response.body.find("\"stop\""), 6, "\"length\"");
    return response;
  });
  ChatProvider provider(testing::provider_at("https://api.example.com/v1"), {}, transport, 1);
  const auto before = provider.reserve_nano_dollars(testing::prompt_of("one"));
  for (RequestId id = 1; id <= 3; ++id) {
    provider.submit(id, testing::prompt_of("one"), kStart);
    CHECK(provider.take_answers(kStart).size() == 1);
  }
  CHECK(limits == std::vector<int>{1000, 4000, 4000});
  CHECK(provider.reserve_nano_dollars(testing::prompt_of("one")) > 3 * before);
  CHECK(provider.take_notices().size() == 1);
}

TEST_CASE("fault 26: a retry delay in the body is obeyed") {
  TimePoint now = kStart;
  FakeTransport transport([&](const HttpRequest&) -> HttpResult {
    if (now > kStart) {
      return testing::completion("ok");
    }
    return HttpResponse{.status = 429,
                        .headers = {},
                        .body = R"([{"error": {"message": "slow", "details": [{"retryDelay": "90s"}]}}])"};
  });
  ChatProvider provider(testing::provider_at("https://api.example.com/v1"), {}, transport, 1);
  provider.submit(1, testing::prompt_of("one"), now);
  CHECK(provider.take_answers(now).empty());
  REQUIRE(provider.next_deadline());
  CHECK(*provider.next_deadline() >= kStart + 90s);
  now = *provider.next_deadline();
  CHECK(provider.take_answers(now).empty());
  CHECK(provider.take_answers(now).size() == 1);
}

TEST_CASE("fault 28: a waiting request is given up after a quarter of an hour so that another provider can be asked") {
  TimePoint now = kStart;
  FakeTransport transport([&](const HttpRequest&) -> HttpResult { return testing::failure(500, "no"); });
  Asker asker(transport);
  asker.run_until(kStart + 16min, now);
  REQUIRE_FALSE(asker.answers.empty());
  for (const auto& answer : asker.answers) {
    REQUIRE_FALSE(answer.reply);
    CHECK(answer.reply.error().kind == ReplyErrorKind::unavailable);
    CHECK_FALSE(answer.reply.error().outcome_unknown);
  }
}

}  // namespace parityd::agent
