// parityd verify ID --overlay DIR: whether a change of torch's Python files fixes a finding, and what it breaks.
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/patch_report.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/overlay.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct VerifyOptions {
  store::Id id = 0;
  std::string overlay, python;
  int programs = 500;
  bool json = false;
};

/// The error says what is missing.
tl::expected<PatchReport, std::string> verify_finding(Context& context, const VerifyOptions& options, Config config,
                                                      const store::Store& store, const store::FindingRow& finding) {
  const auto python = options.python.empty() ? python_with(finding.torch) : fs::path(options.python);
  if (!python) return tl::unexpected(python.error());
  const auto worker = executor::find_worker(find_installation().worker_places(), *python);
  if (!worker || !config.launch.empty()) {
    return tl::unexpected(
        worker ? std::string("an overlay needs local workers: remove [executor] launch")
               : fmt::format("no worker is built for {0}; run: parityd worker build --python {0}", python->string()));
  }
  auto overlay = read_overlay(options.overlay, worker->torch_folder);
  if (!overlay) return tl::unexpected(overlay.error());
  config.python = *python;
  config.device = finding.device;
  config.groups.clear();  // one interpreter and one device are wanted
  const ScratchFolder folder(scratch_for("verify-overlay"));
  make_overlay_tree(*overlay, worker->torch_folder, folder.path() / "tree");
  auto engine = make_engine(config, scratch_for("verify"), {.overlay = folder.path()});
  if (!engine) return tl::unexpected(engine.error());
  PatchVerifier verifier(*engine, config, [&](const std::string& said) { context.err << said << std::endl; });
  PatchReport report{.changed = {overlay->changed.begin(), overlay->changed.end()},
                     .added = {overlay->added.begin(), overlay->added.end()},
                     .torch = worker->torch,
                     .finding = {},
                     .operators = operators_of(finding),
                     .programs = {}};
  auto judged = verifier.finding(recheck_case(store, finding, 0));
  if (!judged) return tl::unexpected(judged.error());
  report.finding = std::move(*judged);
  auto programs = verifier.programs(
      programs_to_try(store, worker->torch, finding.device, report.operators, options.programs, config.seed));
  if (!programs) return tl::unexpected(programs.error());
  report.programs = std::move(*programs);
  return report;
}

void verify(Context& context, const VerifyOptions& options) {
  const auto config = load_context_config(context);
  if (!config) return;
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto report = verify_finding(context, options, *config, store, finding);
    if (!report) return context.fail(3, "parityd verify: {}", printable(report.error()));
    if (options.json) {
      auto all = patch_json(*report);
      all["finding"] = options.id;
      print_json(context, all);
    } else {
      print_patch(context, *report);
    }
    context.exit_code = report->passes() ? 0 : 1;
  });
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check whether a change to torch's Python files fixes a finding.");
  add_finding_option(*command, options->id)->required();
  command
      ->add_option("--overlay", options->overlay,
                   "Folder with the changed files, laid out as in site-packages: DIR/torch/_inductor/lowering.py")
      ->type_name("DIR")
      ->required();
  command->add_option("--programs", options->programs, "Maximum number of consistent programs to check for regressions")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_python_option(*command, options->python,
                    "Python interpreter (default: that of a worker with the finding's torch)");
  command->add_flag("--json", options->json, "Print a JSON object: mends, with, without, programs, broken, …");
  command->footer(
      "The installed torch is not changed. Only the compiler caches of the changed one are built.\n"
      "Exit code: 0 it fixes the finding and breaks none of the programs, of which ten or more call the finding's\n"
      "operators; 1 otherwise or no such finding, 2 usage error, 3 environment or overlay error.");
  command->callback([&context, options] { verify(context, *options); });
}

}  // namespace parityd::agent
