#include "agent/daemon/life/workshop.h"

#include <utility>

namespace parityd::agent {

Workshop::Workshop(Turn& shared, executor::Syntax& parser, std::filesystem::path scratch,
                   std::filesystem::path draft_template)
    : turn(shared),
      syntax(parser),
      examiner(turn.pool, std::move(scratch), turn.config.seed, turn.config.excuses_off),
      intake(syntax, drawn_options(turn.config)),
      recorder(turn.store, std::move(draft_template), turn.config.seed, disposition_policy(turn.config)),
      reducer(examiner, syntax, {.worker_seconds = turn.config.reduction_seconds}),
      step_over(turn.config.step_over_share),
      newness(turn.config.compile_share),
      share(turn.config.confirm_share),
      earnings(turn.store),
      trust(turn) {}

void Workshop::reload() {
  const Config& config = turn.config;
  examiner.set_excuses_off(config.excuses_off);
  intake.set_drawn(drawn_options(config));
  recorder.set_rules(config.dispositions, config.known_max_age);
  reducer.set_limits({.worker_seconds = config.reduction_seconds});
  share.set_share(config.confirm_share);
  step_over.set_share(config.step_over_share);
  newness.set_share(config.compile_share);
}

}  // namespace parityd::agent
