// What every benchmark shares: the programs, the engine they run on, one timed round and how it went. One thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/engine.h"
#include "agent/loop/event_loop.h"
#include "oracle/run_record.h"

namespace parityd::bench {

/// What the command line asked for.
struct Options {
  std::filesystem::path programs;
  std::filesystem::path python;  // empty: the newest worker built
  std::string device = "auto";
  std::string sandbox = "auto";
  int workers = 0;  // 0: the daemon's choice
  int repeats = 3;
  int limit = 0;  // 0: all
  bool json = false;
};

/// One program as every side runs it: taken from a reply where it came in one, and normalised as the daemon does.
struct Program {
  std::string name;
  std::string text;
  std::string options_json = "{}";
};

struct Programs {
  std::vector<Program> all;
  std::vector<std::string> skipped;  // files without a program
};

/// One side's pass over all programs.
struct Round {
  double seconds = 0;                           // by the clock, from the first program given to the last result
  std::map<std::string, double> parts;          // of the workers' time, in seconds: where it went
  std::map<std::string, std::string> troubles;  // programs that did not run to their end in both modes, and how
};

/// Starts a pool. The error says what is missing and the command that mends it.
[[nodiscard]] tl::expected<agent::Engine, std::string> make_engine(const Options& options, int workers);

/// Programs and replies of options.programs in the order of their names, at most options.limit.
[[nodiscard]] Programs load_programs(const Options& options, executor::SyntaxClient& syntax);

/// Waits until every warm worker is primed; the error is the pool's.
[[nodiscard]] tl::expected<void, std::string> wait_until_primed(agent::Engine& engine);

/// Waits for the interests until the deadline, at most a second, in the daemon's way.
void wait(agent::EventLoop& waiter, const std::vector<executor::Interest>& interests,
          std::optional<executor::TimePoint> deadline);

/// What to say of a mode that did not run: "inductor raised BackendCompilerFailed".
[[nodiscard]] std::string trouble(oracle::Mode mode, const oracle::Outcome& outcome);

/// The middle value; of an even number of values the mean of the two in the middle; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace parityd::bench
