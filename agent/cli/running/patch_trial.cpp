#include "agent/cli/running/patch_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "agent/cli/reading.h"
#include "agent/cli/running/engine.h"
#include "agent/cli/running/patch_checks.h"
#include "agent/fixing/overlay.h"

namespace parityd::agent {
namespace {

using Check = std::pair<std::string, std::function<PatchChecks::Checked()>>;

/// The functions that the overlay changes.
std::vector<std::string> functions_of(const Overlay& overlay, const std::filesystem::path& torch_folder) {
  std::vector<std::string> functions;
  for (const auto& path : overlay.changed) {
    const auto before = text_of_file(torch_folder.parent_path() / path), after = text_of_file(overlay.folder / path);
    if (!before || !after) continue;
    std::ranges::move(changed_functions({.path = path, .before = *before, .after = *after}),
                      std::back_inserter(functions));
  }
  return functions;
}

}  // namespace

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
  PatchSides sides(*engine, config, progress);
  PatchChecks checks(sides, store, finding, functions_of(*overlay, worker->torch_folder));
  PatchReport report{.changed = {overlay->changed.begin(), overlay->changed.end()},
                     .added = {overlay->added.begin(), overlay->added.end()},
                     .torch = worker->torch};
  std::vector<Check> all{{"vanishes", [&] { return checks.vanishes(config.confirmation_rounds); }},
                         {"occurrences", [&] { return checks.occurrences(); }}};
  if (!trial.test.empty()) all.emplace_back("regression test", [&] { return checks.regression_test(trial.test); });
  all.emplace_back("variants", [&] { return checks.variants(); });
  all.emplace_back("what fired", [&] { return checks.fired(worker->torch); });
  all.emplace_back("programs", [&] { return checks.programs(worker->torch, trial.programs, config.seed); });
  all.emplace_back("samples", [&] { return checks.samples(); });
  all.emplace_back("corpus", [&] { return checks.corpus(config.seed); });
  for (const auto& [name, run] : all) {
    progress(fmt::format("check: {}", name));
    const auto begin = std::chrono::steady_clock::now();
    auto checked = run();
    if (!checked) return tl::unexpected(checked.error());
    checked->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.checks.push_back(std::move(*checked));
    if (report.result() != store::FixResult::accepted) return report;
  }
  progress("other findings");
  auto gone = checks.also_gone();
  if (!gone) return tl::unexpected(gone.error());
  report.also_gone = std::move(*gone);
  return report;
}

}  // namespace parityd::agent
