// A program in progress and its current step. One thread (the loop's).
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

/// Work on a program between two moves of the pipeline (agent/daemon/program/pipeline.h); steps.h lists the steps. A
/// step requests runs from the examiner and receives their results; it ends with an event from which the pipeline makes
/// the next move. Called only by Programs, in the loop's transaction. Effects go through the outbox, so after a kill
/// between two calls the row tells where to continue.
class Step {
 public:
  /// The workshop outlives this object. `awaits`: the examination it requests, if any; it does not receive other runs
  /// that end meanwhile, which an earlier step started.
  Step(Workshop& shop, std::optional<Examination> awaits) : shop_(shop), awaits_(awaits) {}
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  [[nodiscard]] std::optional<Examination> awaits() const { return awaits_; }
  /// Called once. Returns the event if nothing has to run.
  [[nodiscard]] virtual std::optional<Event> begin(ProgramTask& task) = 0;
  /// Called when a run requested by the step has ended and its evidence is stored (except that of candidates and
  /// ablations, which have no verdict). Nullopt: the step continues.
  [[nodiscard]] virtual std::optional<Event> on_result(ProgramTask& /*task*/, const Examined& /*examined*/) {
    return std::nullopt;
  }
  /// Called once per turn, for steps that end without a run.
  [[nodiscard]] virtual std::optional<Event> poll(ProgramTask& /*task*/) { return std::nullopt; }
  /// Sends as many trials as there is room for.
  virtual void send_trials(TrialRoom& /*room*/) {}

 protected:
  Workshop& shop_;

 private:
  std::optional<Examination> awaits_;
};

/// A warm worker: its group, and its number in it.
using WorkerKey = std::pair<executor::GroupIndex, int>;

/// A program's row, place and step. Created from its stored row, also after a restart; destroyed once the program is
/// finished.
struct ProgramTask {
  enum class Where {
    queued,           // waits for a place on a worker
    under_way,        // in a step, or waits for confirmation
    awaiting_repair,  // waits for a provider's repair
    confirmed,        // its finding is about to be stored
  };

  explicit ProgramTask(store::ProgramRow program) : row(std::move(program)) {}

  store::ProgramRow row;  // as stored
  Where where = Where::queued;
  std::optional<executor::GroupIndex> group;    // the group whose workers run it; set once it has a place
  std::unique_ptr<Step> step;                   // null: none
  std::optional<WorkerKey> saw_difference;      // the worker whose verdict made it a suspect
  std::optional<std::uint64_t> tried_findings;  // Turn::findings_changes when known causes were last tried
  std::string vanishes_with;                    // neutraliser of the finding that it is an occurrence of

  /// The program for examinations. Without a place it belongs to the first group.
  [[nodiscard]] Subject subject() const {
    return {.program = row.id, .text = row.text, .options_json = row.options_json, .group = group.value_or(0)};
  }
};

}  // namespace parityd::agent
