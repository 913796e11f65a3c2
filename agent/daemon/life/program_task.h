// A program that is on its way, and the step that is done with it now. One thread (the loop's).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "store/work/programs.h"

namespace parityd::agent {

struct ProgramTask;
struct Workshop;

/// What is done with a program between two moves of the pipeline (agent/daemon/program/pipeline.h); steps.h lists them.
/// A step asks the examiner for runs and is told what came of them; it ends with an event, of which the pipeline makes
/// the next move. Called in the loop's transaction by Programs alone; what a step sends goes through the outbox, so a
/// kill between two calls leaves a row that says where to go on.
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

/// A warm worker: its group, and its number there.
using WorkerKey = std::pair<executor::GroupIndex, int>;

/// Its row, where it runs, its step. Made of a row of the store, after a restart, too; gone once the program is
/// finished.
struct ProgramTask {
  enum class Where {
    queued,           // for a worker's place
    under_way,        // a step has it, or it waits for the gate
    awaiting_repair,  // of a provider
    confirmed,        // its finding is about to be written
  };

  explicit ProgramTask(store::ProgramRow program) : row(std::move(program)) {}

  store::ProgramRow row;  // as the store has it
  Where where = Where::queued;
  std::optional<executor::GroupIndex> group;    // whose workers run it, once it has a place
  std::unique_ptr<Step> step;                   // null: nothing runs
  std::optional<WorkerKey> saw_difference;      // the worker whose word made it a suspect
  std::optional<std::uint64_t> tried_findings;  // Turn::findings_changes when known causes were tried
  std::string vanishes_with;                    // the neutraliser of the finding that it is an occurrence of

  /// As examinations take it. Without a place it is the first group's.
  [[nodiscard]] Subject subject() const {
    return {.program = row.id, .text = row.text, .options_json = row.options_json, .group = group.value_or(0)};
  }
};

}  // namespace parityd::agent
