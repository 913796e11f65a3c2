#include "agent/cli/fixing/fix_on_newest.h"

#include <fmt/format.h>

#include <compare>
#include <optional>
#include <utility>

#include "agent/cli/fixing/overlay_import.h"
#include "agent/cli/installation.h"
#include "agent/cli/running/engine.h"
#include "agent/daemon/program/recheck.h"
#include "agent/fixing/overlay.h"
#include "agent/fixing/patch.h"
#include "store/base/text.h"
#include "store/findings/version_range.h"

namespace parityd::agent {
namespace {

using store::RecheckResult;

constexpr std::size_t kLongestReason = 300;  // characters

/// A worker of a newer torch than the finding's.
std::optional<executor::BuiltWorker> newer_worker(const Config& config, const store::FindingRow& finding) {
  if (config.newest_python.empty() || !config.launch.empty()) return std::nullopt;
  auto worker = executor::find_worker(find_installation().worker_places(), config.newest_python);
  return worker && std::is_gt(store::compare_torch(worker->torch, finding.torch)) ? worker : std::nullopt;
}

std::string short_reason(const std::string& why) { return store::shortened(store::clean_line(why), kLongestReason); }

std::string cannot_run(const std::string& torch, const std::string& why) {
  return fmt::format("torch {}: the change applies, but could not be tried: {}", torch, short_reason(why));
}

/// What the finding does there without any change.
std::string without_change(const Config& config, const store::Store& store, const store::FindingRow& finding) {
  const auto cannot = [](const std::string& why) { return "whether the finding shows could not be tried: " + why; };
  auto engine = make_engine(config, scratch_for("newest"), {.programs = 1, .fresh = true});
  if (!engine) return cannot(short_reason(engine.error()));
  JobSession session(*engine, config.seed, config.excuses_off);
  std::optional<RecheckCase> waiting = recheck_case(store, finding, 0);
  store::RecheckRow row;
  const auto ran = session.recheck([&] { return std::exchange(waiting, std::nullopt); }, config.confirmation_rounds, 1,
                                   [&](const Subject&, const Recheck& recheck) { row = recheck.result(); });
  if (!ran) return cannot(short_reason(ran.error()));
  if (row.result == RecheckResult::cannot) return cannot(short_reason(row.reason));
  if (row.result == RecheckResult::gone) return "the finding is already gone";
  return row.result == RecheckResult::still ? "the finding shows" : "the finding shows in another way";
}

}  // namespace

std::string newest_sentence(const std::string& torch, const BothJudged& judged) {
  if (judged.without.result == RecheckResult::cannot) return cannot_run(torch, judged.without.reason);
  if (judged.without.result == RecheckResult::gone) {
    return fmt::format("torch {}: the change applies, but the finding is already gone", torch);
  }
  if (judged.with.result == RecheckResult::cannot) return cannot_run(torch, judged.with.reason);
  if (judged.faultless) return fmt::format("torch {}: the change applies, and the finding vanishes", torch);
  if (judged.with.result == RecheckResult::different) {
    return fmt::format("torch {}: the change applies, but the program is wrong in another way: {}", torch,
                       short_reason(judged.with.reason));
  }
  return fmt::format("torch {}: the change applies, but the finding still shows", torch);
}

std::string on_newest(const ProposedChange& change, const Config& config, const store::Store& store,
                      const store::FindingRow& finding, const std::function<void(const std::string&)>& progress) {
  const auto worker = newer_worker(config, finding);
  if (!worker) return {};
  progress(fmt::format("torch {}", worker->torch));
  const Config there = on_one_device(config, worker->python, finding.device);
  const auto patch = make_patch(change, worker->torch_folder);
  if (!patch) {
    return fmt::format("torch {}: the change does not apply ({}); {}", worker->torch, short_reason(patch.error()),
                       without_change(there, store, finding));
  }
  const ScratchFolder folder(scratch_for("newest-overlay"));
  write_overlay(*patch, folder.path() / "overlay");
  const auto overlay = read_overlay(folder.path() / "overlay", worker->torch_folder);
  if (!overlay) return cannot_run(worker->torch, overlay.error());
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  const auto import = import_overlay(*overlay, *worker, folder.path(), config.sandbox);
  if (!import.problem.empty()) return cannot_run(worker->torch, import.problem);
  if (!import.failure.empty()) {
    return fmt::format("torch {}: the change applies, but torch does not import with it: {}", worker->torch,
                       short_reason(import.failure.substr(import.failure.rfind('\n') + 1)));
  }
  auto engine = make_engine(there, scratch_for("newest"), {.programs = 1, .overlay = folder.path(), .fresh = true});
  if (!engine) return cannot_run(worker->torch, engine.error());
  PatchSides sides(*engine, there, progress);
  const auto judged = sides.judge(recheck_case(store, finding, 0), there.confirmation_rounds);
  return judged ? newest_sentence(worker->torch, *judged) : cannot_run(worker->torch, judged.error());
}

}  // namespace parityd::agent
