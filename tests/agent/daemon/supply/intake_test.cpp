// Arrivals are parsed a few at a time, and what a person asked for does not wait for the others.
#include "agent/daemon/supply/intake.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/executor/syntax/fixture.h"

using namespace parityd;
using executor::testing::program_returning;

namespace {

agent::Arrival reply(int number) {
  return {.text = program_returning("x + " + std::to_string(number)),
          .origin = store::Origin::reply,
          .options_known = true};
}

agent::Arrival import_of(store::Id request) {
  return {
      .text = program_returning("x.sin()"), .origin = store::Origin::import, .options_known = true, .request = request};
}

}  // namespace

TEST_CASE("programs that a person requested, and other work on syntax, wait for at most a few of many replies") {
  constexpr int kReplies = 300;
  executor::testing::StartedSyntax syntax;
  agent::Intake intake(syntax.client(), {.mode_weights = {}});
  for (int number = 0; number < kReplies; ++number) {
    intake.accept(reply(number));
  }
  intake.accept(import_of(7));
  REQUIRE(intake.in_flight() == kReplies + 1);
  intake.send_to_parser();

  std::size_t before_import = kReplies;
  std::size_t before_outline = kReplies;
  std::size_t finished = 0;
  bool outlined = false;
  syntax.client().outline(program_returning("x.cos()"), [&](const auto&) {
    outlined = true;
    before_outline = finished;
  });
  while (intake.in_flight() > 0) {
    intake.send_to_parser();
    syntax.client().poll();
    for (const auto& taken : intake.finished()) {
      CHECK(taken.syntax_error.empty());
      before_import = taken.arrival.request ? finished : before_import;
      ++finished;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(finished == kReplies + 1);
  CHECK(outlined);
  CHECK(before_import == 0);
  CHECK(before_outline < 100);
}

TEST_CASE("a share of programs runs with several threads, whatever else their OPTIONS say") {
  executor::testing::StartedSyntax syntax;
  agent::Intake intake(syntax.client(), {.mode_weights = {{"inductor", 1.0}}, .threads_share = 1});
  const std::string stated = program_returning("x.sin()") + "\n\nOPTIONS = {'backward': True}\n";
  const std::string own = program_returning("x.cos()") + "\n\nOPTIONS = {'threads': 3}\n";
  intake.accept({.text = stated, .origin = store::Origin::reply, .seed = 1});
  intake.accept({.text = own, .origin = store::Origin::reply, .seed = 2});
  intake.accept(
      {.text = program_returning("x.tan()"), .origin = store::Origin::residual, .options_known = true, .seed = 3});
  std::vector<nlohmann::json> options;
  while (intake.in_flight() > 0) {
    intake.send_to_parser();
    syntax.client().poll();
    for (const auto& taken : intake.finished()) options.push_back(taken.program.options());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::sort(options.begin(), options.end());
  REQUIRE(options.size() == 3);
  CHECK(options[0] == nlohmann::json::object());
  CHECK(options[1].value("backward", false));
  CHECK((options[1].value("threads", 0) == 2 || options[1].value("threads", 0) == 8));
  CHECK(options[2] == nlohmann::json{{"threads", 3}});
}

TEST_CASE("in a share of programs with random numbers the compiler draws its own") {
  executor::testing::StartedSyntax syntax;
  agent::Intake intake(syntax.client(), {.mode_weights = {{"inductor", 1.0}}, .own_random_share = 1});
  intake.accept({.text = program_returning("torch.rand_like(x)"), .origin = store::Origin::reply, .seed = 1});
  intake.accept({.text = program_returning("x.sin()"), .origin = store::Origin::reply, .seed = 2});
  const std::string stated = program_returning("x + torch.rand(2)") + "\n\nOPTIONS = {'own_random': False}\n";
  intake.accept({.text = stated, .origin = store::Origin::reply, .seed = 3});
  std::map<std::string, nlohmann::json> options;
  while (intake.in_flight() > 0) {
    intake.send_to_parser();
    syntax.client().poll();
    for (const auto& taken : intake.finished()) {
      const std::string& text = taken.program.text;
      options[text.substr(text.find("return "), 12)] = taken.program.options();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(options.at("return torch") == nlohmann::json{{"own_random", true}});
  CHECK(options.at("return x.sin") == nlohmann::json::object());
  CHECK(options.at("return x + t") == nlohmann::json{{"own_random", false}});
}

TEST_CASE("the share of programs with compiler random numbers is as configured, whatever their threads") {
  std::map<std::pair<bool, bool>, int> drawn;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    drawn[{agent::draw_own_random(0.5, seed), agent::draw_threads(0.5, seed) > 1}] += 1;
  }
  for (const auto& [both, count] : drawn) CHECK(std::abs(count - 1000) < 150);
  CHECK(drawn.size() == 4);
}

TEST_CASE("the share of programs with several threads is as configured, half of them with two") {
  std::map<int, int> drawn;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) drawn[agent::draw_threads(1.0 / 3, seed)] += 1;
  CHECK(drawn.size() == 3);
  CHECK(std::abs(drawn[1] - 2000) < 120);
  CHECK(std::abs(drawn[2] - drawn[8]) < 120);
  CHECK(agent::draw_threads(0, 7) == 1);
}
