// One trial of a patch of torch's Python files, from the overlay to the report. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <functional>
#include <string>

#include "agent/cli/reports/patch_report.h"
#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

struct PatchTrial {
  std::filesystem::path overlay;  // as read_overlay() reads it
  std::filesystem::path python;   // empty: that of a worker with the finding's torch
  int programs = 500;             // the most stored programs that must stay consistent
  std::string test = {};          // a regression test; empty: none
};

/// The worker of a local interpreter that a patch can be tried with; `python` as in PatchTrial. The error says what is
/// missing.
[[nodiscard]] tl::expected<executor::BuiltWorker, std::string> worker_for_patch(const Config& config,
                                                                                const store::FindingRow& finding,
                                                                                const std::filesystem::path& python);

/// Runs the checks of agent/cli/fixing/patch_checks.h, the cheap ones first, until one fails. `progress`: called with
/// a line from time to time. The error says what is missing.
[[nodiscard]] tl::expected<PatchReport, std::string> try_patch(const PatchTrial& trial, Config config,
                                                               const store::Store& store,
                                                               const store::FindingRow& finding,
                                                               const std::function<void(const std::string&)>& progress);

}  // namespace parityd::agent
