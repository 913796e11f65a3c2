// A document that is dear to make is told again for a while; a cheap one is always new.
#include "agent/web/answer_memory.h"

#include "tests/catch.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

/// Making an answer takes `cost`, by a clock that only this moves.
struct Kitchen {
  PageAnswer ask(const std::string& path, std::multimap<std::string, std::string> parameters = {},
                 const std::string& method = "GET") {
    return memory.answer({.method = method, .path = path, .parameters = std::move(parameters)}, [&] {
      now += cost;
      return PageAnswer{.status = status, .body = std::to_string(++made) + filling};
    });
  }

  AnswerMemory::Clock::time_point now{1h};
  std::chrono::milliseconds cost{100};
  int status = 200, made = 0;
  std::string filling;
  AnswerMemory memory{[this] { return now; }};
};

}  // namespace

TEST_CASE("answers: an answer is cached for twenty times its cost, at most a minute") {
  Kitchen kitchen;
  CHECK(kitchen.ask("/a").body == "1");
  kitchen.now += 1999ms;
  CHECK(kitchen.ask("/a").body == "1");
  kitchen.now += 1ms;
  CHECK(kitchen.ask("/a").body == "2");
  kitchen.now += 2s;
  kitchen.cost = 1h;
  CHECK(kitchen.ask("/a").body == "3");
  kitchen.now += 59s;
  CHECK(kitchen.ask("/a").body == "3");
  kitchen.now += 1s;
  CHECK(kitchen.ask("/a").body == "4");
}

TEST_CASE("answers: a cheap, large, failed or writing answer is not cached") {
  Kitchen kitchen;
  CHECK(kitchen.ask("/a", {}, "POST").body == "1");
  CHECK(kitchen.ask("/a", {}, "POST").body == "2");
  kitchen.status = 404;
  CHECK(kitchen.ask("/a").body == "3");
  CHECK(kitchen.ask("/a").body == "4");
  kitchen.status = 200;
  kitchen.filling = std::string(AnswerMemory::kLargest, ' ');
  CHECK(kitchen.ask("/a").body.starts_with("5"));
  CHECK(kitchen.ask("/a").body.starts_with("6"));
  kitchen.filling.clear();
  kitchen.cost = 0ms;
  CHECK(kitchen.ask("/a").body == "7");
  CHECK(kitchen.ask("/a").body == "8");
}

TEST_CASE("answers: each path and each set of parameters is cached separately") {
  Kitchen kitchen;
  CHECK(kitchen.ask("/a").body == "1");
  CHECK(kitchen.ask("/b").body == "2");
  CHECK(kitchen.ask("/a", {{"x", "y"}}).body == "3");
  CHECK(kitchen.ask("/a", {{"x", "z"}}).body == "4");
  CHECK(kitchen.ask("/a").body == "1");
  for (std::size_t other = 0; other <= AnswerMemory::kMostAnswers; ++other) kitchen.ask("/" + std::to_string(other));
  CHECK(std::stoi(kitchen.ask("/a").body) > 60);  // forgotten
}

}  // namespace parityd::agent
