// parityd fix ID: asks a language model for the change of torch that makes a finding vanish, and checks its answer. The
// installed torch is only read.
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/fixing/fix_question.h"
#include "agent/cli/fixing/fix_session.h"
#include "agent/cli/fixing/patch_trial.h"
#include "agent/cli/installation.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/findings/fixer.h"
#include "agent/fixing/fix_prompt.h"
#include "agent/fixing/python_level.h"
#include "agent/fixing/shown_source.h"

namespace parityd::agent {
namespace {

struct FixOptions {
  store::Id id = 0;
  std::string reply, keep, provider, python, output;
  int programs = -1;  // below 0: as configured
  bool prompt = false;
  bool json = false;
  bool for_daemon = false;  // a daemon started it
};

/// Waits until a daemon that runs has it: the next budget is computed from what is stored.
void keep_try(Context& context, const store::FixTry& row) {
  RequestDesk desk(context);
  const requests::KeepFix request{row};
  if (!desk.daemon_runs()) {
    desk.ask(request);
  } else if (!desk.ask_daemon(request)) {
    context.err << "the daemon has not stored it yet; it is in its queue" << std::endl;
  }
}

/// 3: nothing is known about a change.
int exit_code_of(store::FixResult result) {
  using enum store::FixResult;
  if (result == accepted) return 0;
  return result == asked || result == no_answer || result == unknown ? 3 : 1;
}

/// What is missing is nothing about this finding.
int later(const FixOptions& options) { return options.for_daemon ? kFixLater : 3; }

void tell_try(Context& context, const FixOptions& options, const JudgedReply& judged) {
  const store::FixTry& row = judged.row;
  if (options.json) {
    auto all = store::fix_json(row);
    all["report"] = judged.report ? patch_json(*judged.report) : nlohmann::json();
    print_json(context, all);
  } else {
    if (judged.report) print_patch(context, *judged.report);
    if (!row.diff.empty()) {
      context.out << fmt::format("\nA change of {} lines in {}:\n\n", row.changed_lines,
                                 printable_line(fmt::format("{}", fmt::join(row.functions, ", "))));
      write_out(context, printable(row.diff), options.output);
    }
  }
  if (row.result == store::FixResult::accepted) return;
  if (!options.json && !options.reply.empty() && !judged.failure.empty()) {
    context.out << "\nTo let the model try once more, send it this message:\n\n"
                << printable(fix_again(judged.failure));
  }
  const std::string why = row.result == store::FixResult::asked ? "stopped; the request stays charged" : row.why;
  context.fail(exit_code_of(row.result), "parityd fix: {}: {}", words_of(row.result), printable(why));
}

void judge_file(Context& context, const FixOptions& options, const FixCase& about) {
  auto reply = text_of_file(options.reply);
  if (!reply) return context.fail(2, "parityd fix: {}: cannot be read", printable_line(options.reply));
  if (const auto requests = source_requests(*reply); !requests.empty()) {
    write_out(context, printable(shown_source(requests, about.worker.torch_folder)), options.output);
    return context.fail(3, "parityd fix: {}: it asks to see source; give the model this message",
                        printable_line(options.reply));
  }
  auto row = next_try(about);
  row.model = options.keep;
  row.reply = std::move(*reply);
  const auto judged = judge_reply(about, std::move(row));
  if (!options.keep.empty()) keep_try(context, judged.row);
  tell_try(context, options, judged);
}

/// Stored, so that no daemon comes to it again.
void leave(Context& context, const FixOptions& options, const FixCase& about, const std::string& why) {
  JudgedReply left{.row = next_try(about), .report = {}, .failure = {}};
  left.row.result = store::FixResult::not_python;
  left.row.why = why;
  keep_try(context, left.row);
  tell_try(context, options, left);
}

void ask_model(Context& context, const FixOptions& options, const FixCase& about) {
  if (const auto why = why_not_python(about.finding)) return leave(context, options, about, *why);
  const auto model = FixModel::open(about.config);
  if (!model) return context.fail(later(options), "parityd fix: {}", printable(model.error()));
  about.progress("looking at what the compiler does for the program");
  const auto question = question_about(about.config, about.worker, about.store, about.finding);
  if (!question) return context.fail(3, "parityd fix: {}", printable(question.error()));
  FixSession session(about, **model, [&](const store::FixTry& row) { keep_try(context, row); });
  const auto judged = session.run({{Message::Role::system, question->system}, {Message::Role::user, question->user}});
  if (!judged) return context.fail(later(options), "parityd fix: {}", printable(judged.error()));
  tell_try(context, options, *judged);
}

/// What an option overrides, and what a daemon leaves to a command beside it.
Config with_options(Config config, const FixOptions& options) {
  if (!options.provider.empty()) config.fix.provider = options.provider;
  if (options.programs >= 0) config.fix.programs = options.programs;
  if (options.for_daemon) {
    const int all = config.workers > 0 ? config.workers : static_cast<int>(std::thread::hardware_concurrency());
    config.workers = std::max(1, all / 4);
  }
  return config;
}

void fix(Context& context, const FixOptions& options) {
  if (options.prompt && !options.reply.empty()) {
    throw CLI::ValidationError("fix", "expected at most one of --prompt and --reply FILE");
  }
  if (options.for_daemon) prctl(PR_SET_PDEATHSIG, SIGTERM);
  const auto given = load_context_config(context);
  if (!given) return;
  const Config config = with_options(*given, options);
  with_finding(context, options.id, [&](const store::Store& store, const store::FindingRow& finding) {
    const auto worker = worker_for_patch(config, finding, options.python);
    if (!worker) return context.fail(later(options), "parityd fix: {}", printable(worker.error()));
    const FixCase about{.config = config,
                        .worker = *worker,
                        .store = store,
                        .finding = finding,
                        .programs = config.fix.programs,
                        .progress = [&](const std::string& said) { context.err << printable(said) << std::endl; }};
    if (!options.reply.empty()) return judge_file(context, options, about);
    if (!options.prompt) return ask_model(context, options, about);
    const auto question = question_about(config, *worker, store, finding);
    if (!question) return context.fail(3, "parityd fix: {}", printable(question.error()));
    write_out(context, printable(question->system + "\n" + question->user), options.output);
  });
}

}  // namespace

void add_fix(CLI::App& app, Context& context) {
  auto options = std::make_shared<FixOptions>();
  CLI::App* command =
      app.add_subcommand("fix", "Ask a language model for a change of torch's Python files, and check it.");
  add_finding_option(*command, options->id)->required();
  command->add_option("--provider", options->provider,
                      "A [provider.NAME] of the configuration (default: [fix] provider, else one of [run] provider)");
  command->add_flag("--prompt", options->prompt, "Ask nobody: print the question to a model");
  auto* const reply =
      command->add_option("--reply", options->reply, "Ask nobody: check the change in this answer")->type_name("FILE");
  command->add_option("--keep", options->keep, "Store the result of --reply as a try by this model")
      ->type_name("MODEL")
      ->needs(reply);
  command->add_option("--output", options->output, "Write the question or the diff to this file")->type_name("FILE");
  command
      ->add_option("--programs", options->programs,
                   "Maximum number of consistent programs to check for regressions (default: [fix] programs)")
      ->check(CLI::NonNegativeNumber);
  add_python_option(*command, options->python,
                    "Python interpreter (default: that of a worker with the finding's torch)");
  command->add_flag("--json", options->json, "Print a JSON object: result, why, model, nano_dollars, checks, diff, …");
  command->add_flag(kForDaemonOption, options->for_daemon)->group("");  // internal: not shown
  command->footer(
      "The model has two tries; the second time it sees which check failed. Each try is stored, what it cost\n"
      "counts in [fix] dollars_per_day and in [budget]. The installed torch is only read. See docs/fix.md.\n"
      "Exit code: 0 the change passes every check, 1 it does not or no such finding, 2 usage error, 3 no answer,\n"
      "budget or environment.");
  command->callback([&context, options] { fix(context, *options); });
}

}  // namespace parityd::agent
