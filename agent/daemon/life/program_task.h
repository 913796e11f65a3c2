// A program that is on its way: its row, where it runs, and what is done with it now. Made of a row of the store, after
// a restart, too; gone once the program is finished. One thread (the loop's).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/daemon/life/step.h"
#include "agent/daemon/program/examiner.h"
#include "store/work/programs.h"

namespace parityd::agent {

/// A warm worker: its group, and its number there.
using WorkerKey = std::pair<executor::GroupIndex, int>;

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
  std::optional<executor::GroupIndex> group;  // whose workers run it, once it has a place
  std::unique_ptr<Step> step;                 // null: nothing runs
  std::optional<WorkerKey> saw_difference;    // the worker whose word made it a suspect
  std::string vanishes_with;                  // the neutraliser of the finding that it is an occurrence of

  /// As examinations take it. Without a place it is the first group's.
  [[nodiscard]] Subject subject() const {
    return {.program = row.id, .text = row.text, .options_json = row.options_json, .group = group.value_or(0)};
  }
};

}  // namespace parityd::agent
