#include "agent/cli/fixing/judged_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/cli/fixing/fix_on_newest.h"
#include "agent/cli/fixing/patch_trial.h"
#include "agent/cli/installation.h"
#include "agent/cli/scratch_folder.h"
#include "agent/daemon/loop/wall_clock.h"
#include "agent/fixing/change.h"
#include "agent/fixing/overlay.h"
#include "agent/fixing/sha256.h"

namespace parityd::agent {
namespace {

using store::FixResult;

/// Whether another change can be better. Where too little was run or a check could not be run, none can.
bool may_be_mended(FixResult result) {
  switch (result) {
    case FixResult::unusable:
    case FixResult::does_not_import:
    case FixResult::stays:
    case FixResult::incomplete:
    case FixResult::breaks:
    case FixResult::switched_off:
    case FixResult::proves_nothing:
      return true;
    default:
      return false;
  }
}

JudgedReply ended(JudgedReply judged, FixResult result, std::string why) {
  judged.row.result = result;
  judged.row.why = std::move(why);
  if (may_be_mended(result) && judged.failure.empty()) judged.failure = judged.row.why;
  return judged;
}

void describe(const Patch& patch, store::FixTry& row) {
  row.diff = patch.diff;
  row.changed_lines = static_cast<std::int64_t>(patch.changed_lines);
  row.functions = patch.functions;
  for (const auto& file : patch.files) {
    row.files.push_back({.path = file.path, .before = sha256(file.before), .after = sha256(file.after)});
  }
}

/// The first check that failed, as it says it to a person; its program for the model.
JudgedReply with_report(JudgedReply judged, PatchReport report) {
  judged.row.checks = report.checks;
  judged.row.also_gone = report.also_gone;
  judged.row.seconds = report.seconds();
  const auto result = report.result();
  std::string why;
  const auto failed =
      std::ranges::find_if(report.checks, [](const auto& check) { return check.result != FixResult::accepted; });
  if (failed != report.checks.end()) {
    why = failed->told;
    if (may_be_mended(result)) {
      judged.failure = fmt::format("{}: {}", failed->name, failed->told);
      if (!failed->program.empty()) judged.failure += fmt::format("\n\n```python\n{}\n```", failed->program);
    }
  }
  judged.report = std::move(report);
  return ended(std::move(judged), result, std::move(why));
}

}  // namespace

store::FixTry next_try(const FixCase& about) {
  const auto before = about.store.fixes.of(about.finding.id);
  const auto on_this = std::ranges::count(before, about.worker.torch, &store::FixTry::torch);
  store::Millis at = wall_clock();
  if (!before.empty()) at = std::max(at, before.back().at + 1);  // the time is part of the row's key
  return {.finding = about.finding.id,
          .number = static_cast<int>(on_this) + 1,
          .at = at,
          .torch = about.worker.torch,
          .device = about.finding.device};
}

JudgedReply judge_reply(const FixCase& about, store::FixTry row) {
  JudgedReply judged{.row = std::move(row), .report = {}, .failure = {}};
  const auto change = parse_change(judged.row.reply);
  judged.row.reply.resize(std::min(judged.row.reply.size(), kLongestReply));  // no model writes more; a file may
  if (!change) return ended(std::move(judged), FixResult::unusable, change.error());
  if (change->edits.empty()) return ended(std::move(judged), FixResult::no_patch, change->why);
  const auto patch = make_patch(*change, about.worker.torch_folder);
  if (!patch) return ended(std::move(judged), FixResult::unusable, patch.error());
  describe(*patch, judged.row);
  judged.row.test = change->test;
  const ScratchFolder folder(scratch_for("fix-overlay"));
  write_overlay(*patch, folder.path() / "overlay");
  auto report = try_patch({.overlay = folder.path() / "overlay",
                           .python = about.worker.python,
                           .programs = about.programs,
                           .test = change->test},
                          about.config, about.store, about.finding, about.progress);
  if (!report) return ended(std::move(judged), FixResult::unknown, report.error());
  judged = with_report(std::move(judged), std::move(*report));
  if (judged.row.result == FixResult::accepted) {
    judged.row.newest = on_newest(*change, about.config, about.store, about.finding, about.progress);
  }
  return judged;
}

}  // namespace parityd::agent
