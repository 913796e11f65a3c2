// Named places between the steps of the loop at which a test ends the daemon as `kill -9` does (docs/simulation.md).
// CMake reads the enumerators of KillPoint: each becomes a test of its own, and one without an entry in
// tests/agent/daemon/scenes/kill_points_test.py fails the build.
#pragma once

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "oracle/names.h"
namespace parityd::agent {

using oracle::name;

enum class KillPoint {
  resuming,       // at a start, what was unfinished is taken up: not committed
  reserved,       // a request's spend is committed, nothing sent
  sent,           // it was handed to the transport
  received,       // an answer is there, nothing of it committed
  validated,      // a program was parsed, it has no row
  queued,         // it has one: not committed
  executing,      // a job was given to a worker
  judged,         // an examination has its verdict, nothing of it stored
  stored,         // its evidence is: not committed
  suspected,      // a program became a suspect: not committed
  confirmed,      // its first round has shown it: not committed
  reduced,        // its reduction is stored: not committed
  attributed,     // what makes it vanish is stored: not committed
  swept,          // how far it reaches is stored: not committed
  drafted,        // finding and draft are stored: not committed
  finished,       // a program is finished: not committed
  before_commit,  // all rows of a turn are written
  after_commit,   // they are committed, nothing of what they allow was begun
};
constexpr auto names(KillPoint) {
  return std::to_array<std::string_view>(
      {"resuming", "reserved", "sent", "received", "validated", "queued", "executing", "judged", "stored", "suspected",
       "confirmed", "reduced", "attributed", "swept", "drafted", "finished", "before_commit", "after_commit"});
}

/// Called at each point; empty: nothing is to happen there. It may end the process, or throw.
using KillHook = std::function<void(KillPoint)>;

/// `PARITYD_KILL_AT=judged:3` in the environment: this process kills itself, as SIGKILL does, the third time it comes
/// to that point. Unset: an empty hook. The error says what is wrong with it. Harmless: who can set a process'
/// environment can kill it.
[[nodiscard]] tl::expected<KillHook, std::string> kill_hook_from_environment();

}  // namespace parityd::agent
