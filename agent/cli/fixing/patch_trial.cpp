#include "agent/cli/fixing/patch_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/cli/fixing/overlay_import.h"
#include "agent/cli/fixing/patch_checks.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/engine.h"
#include "agent/fixing/overlay.h"
#include "agent/fixing/torch_record.h"

namespace parityd::agent {
namespace {

using Check = std::pair<std::string, std::function<PatchChecks::Checked()>>;

/// The functions that the overlay changes.
std::vector<std::string> functions_of(const std::vector<std::string>& changed, const std::filesystem::path& overlay,
                                      const std::filesystem::path& torch_folder) {
  std::vector<std::string> functions;
  for (const auto& path : changed) {
    const auto before = text_of_file(torch_folder.parent_path() / path), after = text_of_file(overlay / path);
    if (!before || !after) continue;
    std::ranges::move(changed_functions({.path = path, .before = *before, .after = *after}),
                      std::back_inserter(functions));
  }
  return functions;
}

template <class Run>
auto timed(const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  auto checked = run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if constexpr (std::is_same_v<decltype(checked), store::FixCheck>) {
    checked.seconds = seconds;
  } else {
    if (checked) checked->seconds = seconds;
  }
  return checked;
}

store::FixCheck import_check(const Overlay& overlay, const executor::BuiltWorker& worker,
                             const std::filesystem::path& folder, const std::string& sandbox) {
  const auto imported = import_overlay(overlay, worker, folder, sandbox);
  store::FixCheck check{.name = "import", .ran = 1, .told = "torch imports"};
  if (imported.problem.empty() && imported.failure.empty()) return check;
  check.failed = 1;
  check.result = imported.problem.empty() ? store::FixResult::does_not_import : store::FixResult::unknown;
  check.told = imported.problem.empty() ? imported.failure : imported.problem;
  return check;
}

/// Those that need workers. The error says what is missing.
tl::expected<void, std::string> run_checks(const PatchTrial& trial, const Config& config, const store::Store& store,
                                           const store::FindingRow& finding,
                                           const std::filesystem::path& overlay_folder,
                                           const executor::BuiltWorker& worker, PatchReport& report,
                                           const std::function<void(const std::string&)>& progress) {
  auto engine = make_engine(config, scratch_for("verify"), {.overlay = overlay_folder});
  if (!engine) return tl::unexpected(engine.error());
  PatchSides sides(*engine, config, progress);
  PatchChecks checks(sides, store, finding, functions_of(report.changed, trial.overlay, worker.torch_folder));
  std::vector<Check> all{{"vanishes", [&] { return checks.vanishes(config.confirmation_rounds); }},
                         {"occurrences", [&] { return checks.occurrences(); }}};
  if (!trial.test.empty()) all.emplace_back("regression test", [&] { return checks.regression_test(trial.test); });
  all.emplace_back("variants", [&] { return checks.variants(); });
  all.emplace_back("what fired", [&] { return checks.fired(worker.torch); });
  all.emplace_back("programs", [&] { return checks.programs(worker.torch, trial.programs, config.seed); });
  all.emplace_back("samples", [&] { return checks.samples(); });
  all.emplace_back("corpus", [&] { return checks.corpus(config.seed); });
  for (const auto& [name, run] : all) {
    progress(fmt::format("check: {}", name));
    auto checked = timed(run);
    if (!checked) {
      const bool control = !engine->pool->broken(kWithoutPatch);
      if (!control) return tl::unexpected(checked.error());
      // Both groups start for the first of these checks, and workers start by compiling a little. Later on only one of
      // them may start again, and the machine may be busy.
      const bool at_start = report.checks.size() == 1;
      checked = store::FixCheck{.name = name,
                                .result = at_start ? store::FixResult::does_not_import : store::FixResult::unknown,
                                .told = checked.error()};
    }
    report.checks.push_back(std::move(*checked));
    if (report.result() != store::FixResult::accepted) return {};
  }
  progress("other findings");
  return checks.also_gone().map([&](auto gone) { report.also_gone = std::move(gone); });
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
  PatchReport report{.changed = {overlay->changed.begin(), overlay->changed.end()},
                     .added = {overlay->added.begin(), overlay->added.end()},
                     .torch = worker->torch};
  const TorchRecord record(worker->torch_folder);
  if (!record.modified().empty()) progress("this torch is not as installed: " + some_files(record.modified()));
  const ScratchFolder folder(scratch_for("verify-overlay"));
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  progress("check: import");
  report.checks.push_back(timed([&] { return import_check(*overlay, *worker, folder.path(), config.sandbox); }));
  tl::expected<void, std::string> ran;
  if (report.result() == store::FixResult::accepted) {
    ran = run_checks(trial, config, store, finding, folder.path(), *worker, report, progress);
  }
  if (const auto changed = record.changed(); !changed.empty()) {  // whatever the checks saw
    report.checks = {{.name = "installed torch",
                      .result = store::FixResult::unknown,
                      .told = "files of the installed torch changed meanwhile: " + some_files(changed)}};
    return report;
  }
  return ran.map([&] { return report; });
}

}  // namespace parityd::agent
