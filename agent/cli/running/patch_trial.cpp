#include "agent/cli/running/patch_trial.h"

#include <fmt/format.h>

#include "agent/cli/running/engine.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/overlay.h"

namespace parityd::agent {

tl::expected<executor::BuiltWorker, std::string> worker_for_patch(const Config& config,
                                                                  const store::FindingRow& finding,
                                                                  const std::filesystem::path& python) {
  const auto chosen = python.empty() ? python_with(finding.torch) : python;
  if (!chosen) return tl::unexpected(chosen.error());
  if (!config.launch.empty()) {
    return tl::unexpected(std::string("an overlay needs local workers: remove [executor] launch"));
  }
  auto worker = executor::find_worker(find_installation().worker_places(), *chosen);
  if (worker) return std::move(*worker);
  return tl::unexpected(
      fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", chosen->string()));
}

tl::expected<PatchReport, std::string> try_patch(const PatchTrial& trial, Config config, const store::Store& store,
                                                 const store::FindingRow& finding,
                                                 const std::function<void(const std::string&)>& progress) {
  const auto worker = worker_for_patch(config, finding, trial.python);
  if (!worker) return tl::unexpected(worker.error());
  const auto overlay = read_overlay(trial.overlay, worker->torch_folder);
  if (!overlay) return tl::unexpected(overlay.error());
  config = on_one_device(std::move(config), worker->python, finding.device);
  const ScratchFolder folder(scratch_for("verify-overlay"));
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  auto engine = make_engine(config, scratch_for("verify"), {.overlay = folder.path()});
  if (!engine) return tl::unexpected(engine.error());
  PatchVerifier verifier(*engine, config, progress);
  PatchReport report{.changed = {overlay->changed.begin(), overlay->changed.end()},
                     .added = {overlay->added.begin(), overlay->added.end()},
                     .torch = worker->torch,
                     .finding = {},
                     .fired = {},
                     .test = {},
                     .operators = operators_of(finding),
                     .programs = {}};
  auto judged = verifier.finding(recheck_case(store, finding, 0));
  if (!judged) return tl::unexpected(judged.error());
  report.finding = std::move(*judged);
  if (!report.mends()) return report;  // the rest tells nothing about a patch that is no fix
  progress("the finding is gone; looking at what the compiler still does for it");
  report.fired = verifier.fired(finding);
  if (!trial.test.empty()) report.test = verifier.regression(finding.id, trial.test);
  progress("running programs that were consistent");
  auto programs = verifier.programs(
      programs_to_try(store, worker->torch, finding.device, report.operators, trial.programs, config.seed));
  if (!programs) return tl::unexpected(programs.error());
  report.programs = std::move(*programs);
  return report;
}

}  // namespace parityd::agent
