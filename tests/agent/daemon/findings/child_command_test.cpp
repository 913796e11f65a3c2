// Real processes: how they end, and what is said about it.
#include "agent/daemon/findings/child_command.h"

#include <thread>

#include "tests/catch.h"

using namespace parityd;
using namespace std::chrono_literals;
using executor::Clock;

namespace {

agent::CommandEnd ended(agent::ChildCommand& command) {
  while (true) {
    if (auto end = command.ended(Clock::now())) return *end;
    std::this_thread::sleep_for(5ms);
  }
}

agent::CommandEnd run(const std::string& script, std::chrono::seconds longest = 60s, const std::string& input = "") {
  agent::ChildCommand command(Clock::now(), longest);
  command.start({.command = {"/bin/sh", "-c", script}}, input);
  return ended(command);
}

}  // namespace

TEST_CASE("a command that succeeds ends without a reason, and reads its input") {
  const auto end = run("read line; test \"$line\" = facts; exit $?", 60s, "facts\n");
  CHECK(end.exit.status == 0);
  CHECK(end.why.empty());
}

TEST_CASE("a command that fails says how, with the last line that it wrote") {
  CHECK(run("echo first >&2; echo 'no route' >&2; echo >&2; exit 3").why == "exit code 3: no route");
  CHECK(run("kill -TERM $$").why == "ended by signal 15 (Terminated)");
}

TEST_CASE("a command that takes too long is killed, and one that is asked to end ends") {
  CHECK(run("sleep 600", 0s).why == "it was killed after 0 s");
  agent::ChildCommand command(Clock::now(), 600s);
  command.start({.command = {"/bin/sleep", "600"}}, "");
  CHECK_FALSE(command.ended(Clock::now()));
  CHECK(command.next_deadline());
  command.ask_to_end();
  CHECK(ended(command).exit.signal != 0);
}

TEST_CASE("a command that cannot be started has ended, and is due at once") {
  agent::ChildCommand command(Clock::now(), 600s);
  CHECK_FALSE(command.ended(Clock::now()));  // not started yet
  command.start({.command = {"/nowhere/at/all"}}, "");
  const auto end = command.ended(Clock::now());
  REQUIRE(end);
  CHECK(end->exit.status == 127);
  CHECK_FALSE(end->why.empty());
  CHECK(command.next_deadline() == executor::TimePoint{});
}
