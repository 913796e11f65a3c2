// parityd fix ID: the question to a language model for the change that makes a finding vanish, and the verdict on its
// answer. The installed torch is only read.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/cli/running/patch_trial.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/fix_prompt.h"
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

/// The lines of a function, as installed; empty: the file cannot be read.
std::string source_of(const fs::path& site_packages, const FiredFunction& function) {
  std::ifstream file(site_packages / function.file);
  std::string text;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    if (++number > function.last_line) break;
    if (number >= function.first_line) text += line + "\n";
  }
  return text;
}

tl::expected<Fired, std::string> what_fired(Config config, const executor::BuiltWorker& worker,
                                            const store::FindingRow& finding) {
  config = on_one_device(std::move(config), worker.python, finding.device);
  auto engine = make_engine(config, scratch_for("fix"), {.programs = 1});
  if (!engine) return tl::unexpected(engine.error());
  JobSession session(*engine, config.seed, {});
  return fired_on(session, finding, 0);
}

/// Functions that trivial programs enter, too, are only named, unless they were called for one of these operators.
bool is_shown(const FiredFunction& function, const std::vector<std::string>& operators) {
  return !function.common || std::ranges::any_of(function.operators, [&](const std::string& name) {
    return std::ranges::find(operators, packet_of(name)) != operators.end();
  });
}

/// The whole first request: the system's part and the user's.
tl::expected<std::string, std::string> question_about(const Config& config, const executor::BuiltWorker& worker,
                                                      const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  if (!draft) return tl::unexpected(fmt::format("finding {} has no draft", finding.id));
  const auto system = text_of_file(find_installation().prompts / "fix.md");
  if (!system) return tl::unexpected(std::string("prompts/fix.md cannot be read"));
  const auto fired = what_fired(config, worker, finding);
  if (!fired) return tl::unexpected(fired.error());
  FixQuestion question{.torch = worker.torch,
                       .draft = fmt::format("{}\n\n{}", draft->title, draft->body),
                       .signature = finding.signature.text,
                       .extent = finding.extent,
                       .functions = {}};
  const auto operators = operators_of(finding);
  question.functions.reserve(fired->functions.size());
  for (const auto& function : fired->functions) {
    question.functions.push_back(
        {.function = function,
         .text = !is_shown(function, operators) ? "" : source_of(worker.torch_folder.parent_path(), function)});
  }
  return *system + "\n" + fix_question(question);
}

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
  context.exit_code = report->passes() ? 0 : 1;
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
