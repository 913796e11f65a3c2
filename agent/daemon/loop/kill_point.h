// Named points between the steps of the loop at which a test kills the daemon like `kill -9` (docs/simulation.md).
// Each has a row in tests/agent/daemon/scenes/kill_points.json and so a test of its own.
#pragma once

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "oracle/names.h"
namespace parityd::agent {

using oracle::name;

enum class KillPoint {
  resuming,       // at startup, unfinished work is taken up: not committed
  reserved,       // a request's cost is reserved and committed, nothing sent
  sent,           // the request was handed to the transport
  received,       // an answer arrived, nothing of it committed
  validated,      // a program was parsed but has no row
  queued,         // the program has a row: not committed
  executing,      // a job was sent to a worker
  judged,         // an examination has a verdict, nothing of it stored
  stored,         // its evidence is stored: not committed
  suspected,      // a program became a suspect: not committed
  confirmed,      // its first round confirmed it: not committed
  reduced,        // its reduction is stored: not committed
  attributed,     // its attribution is stored: not committed
  swept,          // its extent is stored: not committed
  drafted,        // its finding and draft are stored: not committed
  finished,       // a program is finished: not committed
  before_commit,  // all rows of a turn are written
  after_commit,   // they are committed, none of their effects sent
};
constexpr auto names(KillPoint) {
  return std::to_array<std::string_view>(
      {"resuming", "reserved", "sent", "received", "validated", "queued", "executing", "judged", "stored", "suspected",
       "confirmed", "reduced", "attributed", "swept", "drafted", "finished", "before_commit", "after_commit"});
}

/// Called at each point; empty: nothing happens. May end the process or throw.
using KillHook = std::function<void(KillPoint)>;

/// Reads the environment: with `PARITYD_KILL_AT=judged:3` this process kills itself like SIGKILL the third time it
/// reaches that point. Unset: an empty hook. The error says what is wrong with the value. Not a security risk: whoever
/// can set a process' environment can kill it.
[[nodiscard]] tl::expected<KillHook, std::string> kill_hook_from_environment();

}  // namespace parityd::agent
