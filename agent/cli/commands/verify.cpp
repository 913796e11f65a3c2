// parityd verify ID --overlay DIR: whether a change of torch's Python files fixes a finding, and what it breaks.
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/fixing/patch_trial.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/patch_report.h"

namespace parityd::agent {
namespace {

struct VerifyOptions {
  store::Id id = 0;
  std::string overlay, python;
  int programs = 500;
  bool json = false;
};

void verify(Context& context, const VerifyOptions& options) {
  const auto config = load_context_config(context);
  if (!config) return;
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto report =
        try_patch({.overlay = options.overlay, .python = options.python, .programs = options.programs}, *config, store,
                  finding, [&](const std::string& said) { context.err << said << std::endl; });
    if (!report) return context.fail(3, "parityd verify: {}", printable(report.error()));
    if (options.json) {
      auto all = patch_json(*report);
      all["finding"] = options.id;
      print_json(context, all);
    } else {
      print_patch(context, *report);
    }
    context.exit_code = report->result() == store::FixResult::accepted ? 0 : 1;
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
  command->add_flag("--json", options->json, "Print a JSON object: result, checks, also_gone, …");
  command->footer(
      "The installed torch is not changed. Only the compiler caches of the changed one are built.\n"
      "The checks run until one fails; docs/fix.md names them.\n"
      "Exit code: 0 the finding vanishes and every check passes; 1 otherwise or no such finding, 2 usage error,\n"
      "3 environment or overlay error.");
  command->callback([&context, options] { verify(context, *options); });
}

}  // namespace parityd::agent
