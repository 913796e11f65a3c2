// parityd fix ID: the question to a language model for the change that makes a finding vanish, and the verdict on its
// answer. The installed torch is only read.
#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/fix_question.h"
#include "agent/cli/running/patch_trial.h"
#include "agent/fixing/overlay.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct FixOptions {
  store::Id id = 0;
  std::string reply, python, output;
  int programs = 100;
  bool prompt = false;
  bool json = false;
};

/// A reply's patch of the installed files, and its regression test.
struct Proposal {
  Patch patch;
  std::string test;
};

/// The error is written for the model.
tl::expected<Proposal, std::string> proposal_of(const std::string& reply, const fs::path& torch_folder) {
  const auto change = parse_change(reply);
  if (!change) return tl::unexpected(change.error());
  if (change->edits.empty()) return tl::unexpected("no patch: " + change->why);
  return make_patch(*change, torch_folder).map([&](Patch patch) {
    return Proposal{.patch = std::move(patch), .test = change->test};
  });
}

void judge_reply(Context& context, const FixOptions& options, const Config& config, const executor::BuiltWorker& worker,
                 const store::Store& store, const store::FindingRow& finding) {
  const auto reply = text_of_file(options.reply);
  if (!reply) return context.fail(2, "parityd fix: {}: cannot be read", printable_line(options.reply));
  const auto proposal = proposal_of(*reply, worker.torch_folder);
  if (!proposal) return context.fail(1, "parityd fix: {}", printable(proposal.error()));
  const Patch& patch = proposal->patch;
  const ScratchFolder folder(scratch_for("fix-overlay"));
  write_overlay(patch, folder.path() / "overlay");
  const auto report =
      try_patch({.overlay = folder.path() / "overlay",
                 .python = worker.python,
                 .programs = options.programs,
                 .test = proposal->test},
                config, store, finding, [&](const std::string& said) { context.err << said << std::endl; });
  if (!report) return context.fail(3, "parityd fix: {}", printable(report.error()));
  if (options.json) {
    auto all = patch_json(*report);
    all["finding"] = finding.id;
    all["diff"] = patch.diff;
    all["functions"] = patch.functions;
    all["changed_lines"] = patch.changed_lines;
    print_json(context, all);
  } else {
    print_patch(context, *report);
    context.out << fmt::format("\nA change of {} lines in {}:\n\n", patch.changed_lines,
                               printable_line(fmt::format("{}", fmt::join(patch.functions, ", "))));
    write_out(context, printable(patch.diff), options.output);
  }
  context.exit_code = report->result() == store::FixResult::accepted ? 0 : 1;
}

void fix(Context& context, const FixOptions& options) {
  if (options.prompt == !options.reply.empty()) {
    throw CLI::ValidationError("fix", "expected either --prompt or --reply FILE");
  }
  const auto config = load_context_config(context);
  if (!config) return;
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto worker = worker_for_patch(*config, finding, options.python);
    if (!worker) return context.fail(3, "parityd fix: {}", printable(worker.error()));
    if (!options.prompt) return judge_reply(context, options, *config, *worker, store, finding);
    const auto question = question_about(*config, *worker, store, finding);
    if (!question) return context.fail(3, "parityd fix: {}", printable(question.error()));
    write_out(context, printable(*question), options.output);
  });
}

}  // namespace

void add_fix(CLI::App& app, Context& context) {
  auto options = std::make_shared<FixOptions>();
  CLI::App* command = app.add_subcommand("fix", "Ask a language model's change of torch's Python files, and check it.");
  add_finding_option(*command, options->id)->required();
  command->add_flag("--prompt", options->prompt, "Print the question to a model");
  command->add_option("--reply", options->reply, "Check the change in a model's answer")->type_name("FILE");
  command->add_option("--output", options->output, "Write the question or the diff to this file")->type_name("FILE");
  command->add_option("--programs", options->programs, "Maximum number of consistent programs to check for regressions")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_python_option(*command, options->python,
                    "Python interpreter (default: that of a worker with the finding's torch)");
  command->add_flag("--json", options->json, "Print a JSON object: mends, switched_off, programs, broken, diff, …");
  command->footer(
      "The change is search and replace pairs in the compiler's Python files; the installed torch is only read.\n"
      "Exit code: 0 it makes the finding vanish, switches nothing off and breaks none of the programs, of which ten\n"
      "or more call the finding's operators; 1 otherwise or no such finding, 2 usage error, 3 environment.");
  command->callback([&context, options] { fix(context, *options); });
}

}  // namespace parityd::agent
