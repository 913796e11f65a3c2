// A model's reply as a patch of torch, and what the checks saw of it. Blocks; one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/cli/reports/patch_report.h"
#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

/// What changes are for, and what they are tried with. References outlive what uses them.
struct FixCase {
  const Config& config;
  const executor::BuiltWorker& worker;
  const store::Store& store;
  const store::FindingRow& finding;
  int programs = 0;  // the most consistent programs that are run with a change
  std::function<void(const std::string&)> progress;
};

/// The row of the finding's next try, asked now; the model is still to be named.
[[nodiscard]] store::FixTry next_try(const FixCase& about);

/// A try and what was seen of it.
struct JudgedReply {
  store::FixTry row;
  std::optional<PatchReport> report;  // nullopt: nothing was run
  std::string failure;  // for the model: what is wrong, with the program that shows it; empty: no second try helps
};

/// Reads the reply in the row, applies its change and runs the checks.
[[nodiscard]] JudgedReply judge_reply(const FixCase& about, store::FixTry row);

}  // namespace parityd::agent
