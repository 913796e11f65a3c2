// Arrivals are parsed a few at a time, and what a person asked for does not wait for the others.
#include "agent/daemon/intake.h"

#include <chrono>
#include <thread>

#include "tests/catch.h"
#include "tests/executor/syntax/fixture.h"

using namespace parityd;
using executor::testing::program_returning;

namespace {

agent::Arrival reply(int number) {
  return {.text = program_returning("x + " + std::to_string(number)), .origin = "reply", .options_known = true};
}

agent::Arrival import_of(store::Id request) {
  return {.text = program_returning("x.sin()"), .origin = "import", .options_known = true, .request = request};
}

}  // namespace

TEST_CASE("what a person asked for, and what else is made of syntax, waits for few of many replies") {
  constexpr int kReplies = 300;
  executor::testing::StartedSyntax syntax;
  agent::Intake intake(syntax.client(), {});
  for (int number = 0; number < kReplies; ++number) {
    intake.take(reply(number));
  }
  intake.take(import_of(7));
  REQUIRE(intake.in_flight() == kReplies + 1);
  intake.service();

  std::size_t before_import = kReplies;
  std::size_t before_outline = kReplies;
  std::size_t finished = 0;
  bool outlined = false;
  syntax.client().outline(program_returning("x.cos()"), [&](const auto&) {
    outlined = true;
    before_outline = finished;
  });
  while (intake.in_flight() > 0) {
    intake.service();
    syntax.client().service();
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
