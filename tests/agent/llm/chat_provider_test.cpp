// The provider over real sockets, with the clock in the test's hand: no wait between retries is waited for.
#include "agent/llm/chat_provider.h"

#include <cstdlib>

#include "tests/agent/llm/provider_driver.h"
#include "tests/catch.h"

using namespace parityd::agent;
using namespace parityd::agent::test;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_CASE("a prompt becomes a reply with its tokens and cost") {
  const json usage = {
      {"prompt_tokens", 1000}, {"completion_tokens", 500}, {"prompt_tokens_details", {{"cached_tokens", 400}}}};
  Driver driver(json::array({{{"match", "write one"}, {"reply", "a program"}, {"usage", usage}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE(answers.at(1).reply);
  const Reply& reply = *answers.at(1).reply;
  CHECK(reply.text == "a program");
  CHECK(reply.model == "stand-in-1");
  CHECK(reply.usage.cached_tokens == 400);
  CHECK(reply.cost_nano_dollars == 600 * 1000 + 400 * 100 + 500 * 2000);
  CHECK(reply.attempts == 1);
  CHECK(reply.cost_nano_dollars < driver.provider().reserve_nano_dollars(prompt_of(std::string(4000, 'x'))));
}

TEST_CASE("the configured number of prompts is in flight at once") {
  Driver driver(json::array({{{"reply", "ok"}, {"times", 16}, {"together", 16}}}));  // none is answered before all came
  CHECK(driver.provider().capacity(driver.now()) == 16);
  const auto answers = driver.ask(std::vector<std::string>(16, "write one"));
  CHECK(answers.size() == 16);
  for (const auto& [id, answer] : answers) {
    REQUIRE(answer.reply);
    CHECK(answer.reply->attempts == 1);
  }
  CHECK(driver.provider().capacity(driver.now()) == 16);
  CHECK(driver.server().journal("request").size() == 16);
}

TEST_CASE("fault 26: a request with status 429 is retried no sooner than the server says") {
  struct Row {
    const char* header;
    std::string value;
    std::chrono::milliseconds least, most;
  };
  char date[64];
  const time_t then = time(nullptr) + 500;  // of which a loaded machine may spend much before the answer is there
  strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&then));
  const auto row = GENERATE_COPY(Row{"Retry-After", "7", 7s, 7s}, Row{"Retry-After", date, 200s, 500s},
                                 Row{"retry-after-ms", "2500", 2500ms, 2500ms}, Row{"X-Nothing", "1", 0ms, 0ms});
  CAPTURE(row.header, row.value);
  Driver driver(json::array(
      {{{"status", 429}, {"headers", {{row.header, row.value}}}, {"body", "{\"error\": {\"message\": \"slow down\"}}"}},
       {{"reply", "ok"}}}));
  const auto begin = driver.now();
  const auto answers = driver.ask({"write one"});
  REQUIRE(answers.at(1).reply);
  CHECK(answers.at(1).reply->attempts == 2);
  CHECK(driver.now() - begin >= row.least);
  CHECK(driver.now() - begin <= row.most + 12s);
}

TEST_CASE("fault 27: a request survives a burst of server errors, which cost nothing") {
  Driver driver(
      json::array({{{"status", 500}, {"body", ""}},
                   {{"status", 502}, {"body", "<html><title>Bad gateway</title></html>"}},
                   {{"status", 529},
                    {"body", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"full\"}}"}},
                   {{"reply", "ok"}, {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 10}}}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE(answers.at(1).reply);
  CHECK(answers.at(1).reply->attempts == 4);
  CHECK(answers.at(1).reply->cost_nano_dollars == 10 * 1000 + 10 * 2000);
}

TEST_CASE("fault 27: a request fails after five tries and its provider is parked") {
  Driver driver(json::array({{{"status", 503}, {"body", "{\"error\": \"busy\"}"}, {"times", 100}}}));
  const auto answers = driver.ask({"write one"});
  REQUIRE_FALSE(answers.at(1).reply);
  const auto& error = answers.at(1).reply.error();
  CHECK(error.kind == ReplyErrorKind::unavailable);
  CHECK(error.status == 503);
  CHECK(error.attempts == 5);
  CHECK(error.message == "HTTP 503: busy");
  CHECK_FALSE(error.outcome_unknown);
  CHECK(driver.server().journal("request").size() == 5);
  CHECK_FALSE(driver.provider().stopped());
  CHECK(driver.provider().capacity(driver.now()) == 0);
  CHECK_FALSE(driver.provider().available());
}

TEST_CASE("fault 27: a parked provider sends one probe, and everything else once it is answered") {
  Driver driver(json::array({{{"status", 500}, {"times", 8}, {"body", "x"}},
                             {{"reply", "ok"}, {"delay", 1}},
                             {{"reply", "ok"}, {"times", 100}}}));
  std::map<RequestId, Answer> answers;
  for (RequestId id = 1; id <= 8; ++id) {
    driver.submit(id, "write one");
  }
  for (const Patience patience; driver.server().journal("request").size() < 9 && patience.left();) {
    driver.turn(answers);
  }
  for (int turns = 0; turns < 20; ++turns) {
    driver.turn(answers);
  }
  const auto requests = driver.server().journal("request").size();
  CHECK((requests == 9 || !answers.empty()));
  for (const Patience patience; answers.size() < 8 && patience.left();) {
    driver.turn(answers);
  }
  REQUIRE(answers.size() == 8);
  for (const auto& [id, answer] : answers) {
    CHECK(answer.reply.has_value());
  }
  CHECK(driver.server().journal("request").size() == 16);
}
