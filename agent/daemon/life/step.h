// What is done with a program between two moves of the pipeline (agent/daemon/program/pipeline.h); steps.h lists them.
// A step asks the examiner for runs and is told what came of them; it ends with an event, of which
// the pipeline makes the next move. Called in the loop's transaction by Programs alone; what a step sends goes through
// the outbox, so a kill between two calls leaves a row that says where to go on. One thread (the loop's).
#pragma once

#include <optional>

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "agent/daemon/program/trial_room.h"

namespace parityd::agent {

struct ProgramTask;
struct Workshop;

class Step {
 public:
  /// The workshop outlives it. `awaits`: the runs that it asks for, if any; of others that end meanwhile, sent by a
  /// step before it, it is not told.
  Step(Workshop& shop, std::optional<Examination> awaits) : shop_(shop), awaits_(awaits) {}
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  [[nodiscard]] std::optional<Examination> awaits() const { return awaits_; }
  /// Called once. The event where nothing has to run.
  [[nodiscard]] virtual std::optional<Event> begin(ProgramTask& task) = 0;
  /// A run that the step had asked for has ended, and its evidence is stored (but for candidates and ablations, which
  /// nobody judges). Nothing: the step goes on.
  [[nodiscard]] virtual std::optional<Event> take(ProgramTask& /*task*/, const Examined& /*examined*/) {
    return std::nullopt;
  }
  /// Once a turn, for what ends by something else than a run.
  [[nodiscard]] virtual std::optional<Event> poll(ProgramTask& /*task*/) { return std::nullopt; }
  /// Sends the trials that there is room for.
  virtual void send_trials(TrialRoom& /*room*/) {}

 protected:
  Workshop& shop_;

 private:
  std::optional<Examination> awaits_;
};

}  // namespace parityd::agent
