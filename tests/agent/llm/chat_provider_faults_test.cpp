// What no second try can mend, what may have been paid for, and that a key stays out of every word.
#include <algorithm>
#include <cstdlib>

#include "tests/agent/llm/provider_driver.h"
#include "tests/catch.h"

using namespace parityd::agent;
using namespace parityd::agent::test;
using nlohmann::json;

namespace {

constexpr const char* kKey = "tk-9f8e7d6c5b4a-not-a-real-key";

json always(int status, const json& body) {
  return json::array({{{"status", status}, {"body", body.dump()}, {"times", 100}}});
}
json error_body(const std::string& code, const std::string& message) {
  return {{"error", {{"message", message}, {"type", "error"}, {"param", nullptr}, {"code", code}}}};
}

}  // namespace

TEST_CASE("fault 28: an error that only the operator can fix stops the provider at the first answer") {
  struct Row {
    int status;
    std::string code;
    ReplyErrorKind kind;
  };
  const auto row =
      GENERATE(Row{402, "", ReplyErrorKind::money}, Row{403, "", ReplyErrorKind::authentication},
               Row{404, "model_not_found", ReplyErrorKind::configuration},
               Row{400, "invalid_value", ReplyErrorKind::configuration}, Row{307, "", ReplyErrorKind::configuration},
               Row{429, "insufficient_quota", ReplyErrorKind::money});
  CAPTURE(row.status, row.code);
  Driver driver(always(row.status, error_body(row.code, "what happened")));
  const auto answers = driver.ask({"write one"});
  REQUIRE_FALSE(answers.at(1).reply);
  CHECK(answers.at(1).reply.error().kind == row.kind);
  CHECK(answers.at(1).reply.error().status == row.status);
  CHECK(answers.at(1).reply.error().attempts == 1);
  REQUIRE(driver.provider().stopped());
  CHECK(driver.provider().stopped()->find("what happened") != std::string::npos);
  CHECK(driver.provider().capacity(driver.now()) == 0);
  CHECK(driver.server().journal("request").size() == 1);
}

TEST_CASE("fault 28: a refused key stops the provider, and the message contains no part of the key") {
  Driver driver(json::array(), "the-right-key", kKey);
  const auto answers = driver.ask({"write one"});
  REQUIRE_FALSE(answers.at(1).reply);
  const auto& error = answers.at(1).reply.error();
  CHECK(error.kind == ReplyErrorKind::authentication);
  CHECK(error.message.find("Incorrect API key") != std::string::npos);
  for (const auto& words : {error.message, driver.provider().stopped().value_or("")}) {
    CHECK(words.find("tk-9f") == std::string::npos);
    CHECK(words.find("-key") == std::string::npos);
  }
}

TEST_CASE("fault 28: after the stop nothing is sent, not even requests that wait for a retry") {
  Driver driver(json::array({{{"match", "waits"}, {"status", 500}, {"headers", {{"Retry-After", "500"}}}, {"body", ""}},
                             {{"match", "refused"}, {"status", 401}, {"body", "no"}},
                             {{"reply", "ok"}, {"times", 100}}}));
  std::map<RequestId, Answer> answers;
  driver.submit(1, "waits");
  for (const Patience patience; !driver.provider().next_deadline() && patience.left();) {
    driver.turn(answers);
  }
  // The clock has jumped: 1 goes out again with the next turn, unless the provider stops before.
  driver.submit(2, "refused");
  for (const Patience patience; answers.size() < 2 && patience.left();) {
    driver.turn(answers);
  }
  REQUIRE(answers.size() == 2);
  CHECK(driver.provider().stopped());
  driver.submit(3, "too late");
  for (const Patience patience; answers.size() < 3 && patience.left();) {
    driver.turn(answers);
  }
  REQUIRE(answers.size() == 3);
  CHECK(answers.at(3).reply.error().kind == ReplyErrorKind::cancelled);
  CHECK(driver.server().journal("request").size() <= 3);
}

TEST_CASE("fault 29: only the request with the prompt that is too long fails") {
  Driver driver(
      json::array({{{"match", "long"}, {"status", 400}, {"body", error_body("context_length_exceeded", "m").dump()}},
                   {{"reply", "ok"}}}));
  const auto answers = driver.ask({"long", "short"});
  CHECK(answers.at(1).reply.error().kind == ReplyErrorKind::too_large);
  CHECK(answers.at(2).reply.has_value());
  CHECK_FALSE(driver.provider().stopped());
}

TEST_CASE("x-should-retry overrides the status") {
  Driver driver(
      json::array({{{"match", "no"}, {"status", 503}, {"headers", {{"x-should-retry", "false"}}}, {"body", "x"}},
                   {{"match", "yes"}, {"status", 400}, {"headers", {{"x-should-retry", "true"}}}, {"body", "x"}},
                   {{"match", "yes"}, {"reply", "ok"}}}));
  const auto answers = driver.ask({"no", "yes"});
  REQUIRE_FALSE(answers.at(1).reply);
  CHECK(answers.at(1).reply.error().attempts == 1);
  REQUIRE(answers.at(2).reply);
  CHECK(answers.at(2).reply->attempts == 2);
}

TEST_CASE("fault 32: a truncated answer is requested again, and both requests may be charged") {
  Driver driver(json::array({{{"reply", "lost"}, {"cut", 30}},
                             {{"reply", "ok"}, {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 10}}}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE(answers.at(1).reply);
  const auto lost = driver.provider().reserve_nano_dollars(prompt_of("write one")) / 2;  // of two tries at most
  CHECK(answers.at(1).reply->cost_nano_dollars == lost + 10L * 1000 + 10L * 2000);
}

TEST_CASE("fault 32: a malformed answer is charged, so it is retried only once") {
  Driver driver(json::array({{{"body", "{\"choices\": [{\"mess"}, {"times", 100}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE_FALSE(answers.at(1).reply);
  const auto& error = answers.at(1).reply.error();
  CHECK(error.kind == ReplyErrorKind::malformed);
  CHECK(error.attempts == 2);
  CHECK(error.outcome_unknown);
  CHECK(error.cost_nano_dollars == driver.provider().reserve_nano_dollars(prompt_of("write one")));
}

TEST_CASE("fault 31: an answer larger than any valid reply is not retried") {
  Driver driver(json::array({{{"body", std::string(1024, 'x')}, {"repeat", 9 * 1024}, {"times", 100}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE_FALSE(answers.at(1).reply);
  CHECK(answers.at(1).reply.error().kind == ReplyErrorKind::malformed);
  CHECK(answers.at(1).reply.error().attempts == 1);
  CHECK(answers.at(1).reply.error().outcome_unknown);
}

TEST_CASE("fault 33: a reply that comes after the timeout may be charged for both tries") {
  const StandIn server(json::array({{{"reply", "late"}, {"times", 100}, {"delay", 600}}}));
  HttpClient http;
  EventLoop loop{&http};
  auto config = config_for(server.base_url());
  config.total_timeout = std::chrono::seconds(3);  // within which even a loaded machine has sent the request
  ChatProvider provider(config, Secret(), http, 1);
  TimePoint now(std::chrono::hours(1));
  provider.submit(1, prompt_of("write one"), now);
  std::vector<Answer> answers;
  for (const Patience patience; answers.empty() && patience.left();) {
    loop.wait({}, std::chrono::milliseconds(10));
    answers = provider.take_answers(now);
    now = std::max(now, provider.next_deadline().value_or(now));
  }
  REQUIRE(answers.size() == 1);
  REQUIRE_FALSE(answers[0].reply);
  const ReplyError& error = answers[0].reply.error();
  CHECK(error.kind == ReplyErrorKind::timeout);
  CHECK(error.attempts == 2);
  CHECK(error.outcome_unknown);
  CHECK(error.cost_nano_dollars == provider.reserve_nano_dollars(prompt_of("write one")));
  CHECK_FALSE(provider.stopped());
}

TEST_CASE("fault 30: a refused connection is retried and costs nothing") {
  HttpClient http;
  EventLoop loop{&http};
  ChatProvider provider(config_for("http://127.0.0.1:1/v1"), Secret(kKey), http, 1);  // a port that needs root
  TimePoint now(std::chrono::hours(1));
  provider.submit(7, prompt_of("write one"), now);
  std::vector<Answer> answers;
  for (const Patience patience; answers.empty() && patience.left();) {
    loop.wait({}, std::chrono::milliseconds(10));
    answers = provider.take_answers(now);
    now = provider.next_deadline().value_or(now);
  }
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].id == 7);
  REQUIRE_FALSE(answers[0].reply);
  CHECK(answers[0].reply.error().kind == ReplyErrorKind::unavailable);
  CHECK(answers[0].reply.error().attempts == 5);
  CHECK_FALSE(answers[0].reply.error().outcome_unknown);
}

TEST_CASE("reading the key removes it from the environment, and a missing key is reported with its setting") {
  auto config = config_for("http://127.0.0.1:1/v1");
  config.api_key_env = "PARITYD_TEST_KEY";
  unsetenv("PARITYD_TEST_KEY");
  KeyRing ring;
  const auto missing = key_of(config, ring);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().find("PARITYD_TEST_KEY") != std::string::npos);
  CHECK(missing.error().find("provider standin") != std::string::npos);
  setenv("PARITYD_TEST_KEY", kKey, 1);
  const auto key = key_of(config, ring);
  REQUIRE(key);
  CHECK(key->reveal() == kKey);
  CHECK(key_of(config, ring)->reveal() == kKey);  // for a second provider with the same key
  KeyRing later;
  CHECK_FALSE(key_of(config, later));
  CHECK(getenv("PARITYD_TEST_KEY") == nullptr);
}
