// llama.cpp's server: a window that is too small, a model that still loads, a cache that is not billed.
#include "tests/agent/llm/provider_driver.h"
#include "tests/catch.h"

using namespace parityd::agent;
using namespace parityd::agent::test;
using nlohmann::json;

namespace {

const json kAnswers = json::array({{{"reply", "ok"}, {"times", 100}}});

class Llama : public Driver {
 public:
  explicit Llama(std::vector<std::string> options) : Driver(kAnswers, "", "", nullptr, std::move(options)) {}
};

}  // namespace

TEST_CASE("llama.cpp: a prompt that exceeds the context window is refused once and does not count as a server fault") {
  Llama driver({"--llama", "500"});
  const auto answers = driver.ask({std::string(4'000, 'x'), "short"});
  REQUIRE_FALSE(answers.at(1).reply);
  const auto& error = answers.at(1).reply.error();
  CHECK(error.kind == ReplyErrorKind::too_large);
  CHECK(error.attempts == 1);
  CHECK(error.cost_nano_dollars == 0);
  CHECK(error.message.find("exceeds the available context size (500 tokens)") != std::string::npos);
  CHECK(answers.at(2).reply);
  CHECK(driver.provider().available());
}

TEST_CASE("llama.cpp: a refusal shows that an unavailable server is back") {
  const json down = json::array({{{"match", "first"}, {"status", 500}, {"body", "{}"}, {"times", 100}}});
  Driver driver(down, "", "", nullptr, {"--llama", "500"});
  CHECK_FALSE(driver.ask({"first"}).at(1).reply);
  std::map<RequestId, Answer> answers;
  driver.submit(2, std::string(4'000, 'x'));
  for (const Patience patience; answers.empty() && patience.left();) driver.turn(answers);
  REQUIRE_FALSE(answers.at(2).reply);
  CHECK(answers.at(2).reply.error().kind == ReplyErrorKind::too_large);
  CHECK(driver.provider().available());
}

TEST_CASE("llama.cpp: a model that is loading is waited for") {
  Llama driver({"--llama", "500", "--loading", "1"});
  std::map<RequestId, Answer> answers;
  RequestId id = 0;
  for (const Patience patience; (answers.empty() || !answers.at(id).reply) && patience.left();) {
    answers = driver.ask({"write one"});
    id = 1;
  }
  CHECK(answers.at(1).reply);
  CHECK(driver.provider().available());
}

TEST_CASE("llama.cpp: a cached prompt prefix is not charged again, and the context window ends a reply") {
  const json rules = json::array({{{"reply", std::string(4'000, 'y')}, {"times", 100}}});
  Driver driver(rules, "", "", nullptr, {"--llama", "500"});
  const std::string chapter(800, 'x');
  REQUIRE(driver.ask({chapter}).at(1).reply);
  const auto again = driver.ask({chapter + " other than these"});
  REQUIRE(again.at(1).reply);
  CHECK(again.at(1).reply->usage.cached_tokens == 204);  // of the chapter and what stands before it
  CHECK(again.at(1).reply->finish == Finish::length);
  CHECK(again.at(1).reply->model == "stand-in.gguf");
}
