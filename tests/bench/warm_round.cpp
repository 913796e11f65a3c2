#include "tests/bench/warm_round.h"

#include <iostream>

#include "agent/daemon/program/examiner.h"

namespace parityd::bench {
namespace {

using executor::Clock;

void note(const agent::Examined& examined, const Program& program, Round& round) {
  if (!examined.harness_failure.empty()) {
    round.troubles[program.name] = "the harness failed: " + examined.harness_failure;
  }
  for (const auto& [mode, outcome] : examined.evidence.outcomes) {
    if (outcome.kind != oracle::OutcomeKind::ran) {
      round.troubles.emplace(program.name, trouble(mode, outcome));
    }
  }
}

}  // namespace

tl::expected<Round, std::string> warm_round(agent::Engine& engine, const std::vector<Program>& programs) {
  agent::EventLoop waiter;
  agent::Examiner examiner(*engine.pool, engine.scratch->path() / "rounds", 0);
  Round round;
  std::size_t given = 0, done = 0;
  (void)engine.pool->take_seconds(Clock::now());
  const auto began = Clock::now();
  const auto give = [&] {
    for (; given < programs.size() && engine.pool->free_warm(0) > 0; ++given) {
      examiner.screen({.program = static_cast<store::Id>(given + 1),
                       .text = programs[given].text,
                       .options_json = programs[given].options_json},
                      {}, Clock::now());
    }
  };
  for (give(); done < programs.size(); give()) {  // in the order of the daemon's loop: wait, service, take, give
    std::vector<executor::Interest> interests;
    engine.pool->append_interests(interests);
    wait(waiter, interests, engine.pool->next_deadline());
    engine.pool->poll(Clock::now());
    for (const auto& examined : examiner.drain_results(Clock::now())) {
      note(examined, programs[static_cast<std::size_t>(examined.program - 1)], round);
      ++done;
    }
    if (const auto broken = engine.pool->broken()) {
      return tl::unexpected(*broken);
    }
  }
  round.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  for (const auto& notice : engine.pool->take_notices()) {
    std::cerr << notice.text << "\n";
  }
  const auto seconds = engine.pool->take_seconds(Clock::now()).at(0);
  for (std::size_t index = 0; index < executor::kOccupations; ++index) {
    const auto what = static_cast<executor::Occupation>(index);
    if (seconds[what] > 0) {
      round.parts[std::string(name(what))] = seconds[what];
    }
  }
  return round;
}

}  // namespace parityd::bench
