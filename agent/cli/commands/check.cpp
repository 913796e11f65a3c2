// parityd check FILE…: judges programs by hand. Nothing is stored; a difference on a warm worker is confirmed by one
// round.
#include <algorithm>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/running/checker.h"
#include "agent/cli/store_json.h"
#include "oracle/rules/excuses.h"
#include "oracle/rules/explain.h"

namespace parityd::agent {
namespace {

struct CheckOptions {
  CheckPlan plan;
  std::string python;
  std::string device;
  int workers = 0;
  bool json = false;
  bool explain = false;
  bool list_excuses = false;
};

void list_excuses(Context& context, bool json) {
  for (const oracle::Excuse& excuse : oracle::excuses()) {
    if (json) {
      context.out << nlohmann::json{{"name", excuse.name}, {"about", excuse.about}, {"source", excuse.source}}.dump()
                  << "\n";
    } else {
      context.out << fmt::format("{:<40} {}{}\n", excuse.name, excuse.about,
                                 excuse.source.empty() ? "" : " (" + excuse.source + ")");
    }
  }
}

/// Stage, neutraliser, workaround, and the table of what was tried.
std::string attribution_text(const Attributor& attributor) {
  const auto& result = attributor.result();
  std::string text = fmt::format("  stage        {}\n  neutraliser  {} ({})\n", oracle::name(attributor.stage()),
                                 result.neutraliser.empty() ? "none" : oracle::text(result.neutraliser), result.why);
  const auto& workaround = result.workaround;
  text += fmt::format("  workaround   {}{}\n", workaround ? workaround->python : "none",
                      workaround && !workaround->caveat.empty() ? " (" + workaround->caveat + ")" : "");
  for (const auto& tried : result.tried) {
    text += fmt::format("    {:<17}  {}\n", oracle::words(tried.answer), oracle::text(tried.neutralisers));
  }
  return text;
}

nlohmann::json attribution_json(const Attributor& attributor) {
  const auto& result = attributor.result();
  const auto tried_json = [](const auto& tried) -> nlohmann::json {
    return {{"neutralisers", oracle::line(tried.neutralisers)}, {"answer", tried.answer}};
  };
  const auto neutraliser = result.neutraliser.empty() ? std::nullopt : std::optional(oracle::line(result.neutraliser));
  return {{"stage", attributor.stage()},
          {"neutraliser", or_null(neutraliser)},
          {"workaround", result.workaround ? nlohmann::json(result.workaround->python) : nlohmann::json()},
          {"attribution", result.why},
          {"runs", attributor.runs()},
          {"worker_seconds", attributor.seconds()},
          {"ablations", json_array(result.tried, tried_json)}};
}

void print_object(Context& context, const CheckedFile& file, const std::optional<std::string>& disposition) {
  const auto& verdict = file.judged;
  nlohmann::json line{{"file", file.name},
                      {"verdict", verdict.verdict},
                      {"kind", or_null(verdict.kind)},
                      {"rule", verdict.rule},
                      {"disposition", or_null(disposition)},
                      {"explanation", verdict.explanation},
                      {"fixes", file.fixes},
                      {"script", file.script ? nlohmann::json(oracle::in_words(*file.script)) : nlohmann::json()}};
  if (file.reduced) {
    line["reduced"] = *file.reduced;
    line["reduced"]["program"] = file.reduced->text;
  }
  if (file.attributor) line.update(attribution_json(*file.attributor));
  context.out << oracle::compact(line) << std::endl;
}

void print_text(Context& context, const CheckOptions& options, const CheckedFile& file,
                const std::optional<std::string>& disposition) {
  const auto& verdict = file.judged;
  const auto print = [&](const std::string& text) { context.out << printable(text) << std::endl; };
  print(fmt::format("{}: {}{}  [{}]{}\n  {}", file.name, oracle::name(verdict.verdict),
                    verdict.kind ? fmt::format(" ({})", oracle::name(*verdict.kind)) : "", verdict.rule,
                    disposition ? "  " + *disposition : "", verdict.explanation));
  if (!file.fixes.empty()) print(fmt::format("  judged after these changes: {}", fmt::join(file.fixes, "; ")));
  if (file.script && file.script->says != oracle::ScriptSays::shown) {
    print(fmt::format("  {}", oracle::in_words(*file.script)));
  }
  if (const auto& reduced = file.reduced) {
    print(fmt::format("  reduced from {} to {} statements ({} lines) with {} trials in {:.0f} worker seconds: {}\n\n{}",
                      reduced->statements_before, reduced->statements, reduced->lines, reduced->trials,
                      reduced->seconds, reduced->why, reduced->text));
  }
  if (file.attributor) context.out << printable(attribution_text(*file.attributor)) << std::flush;
  if (options.explain) {
    const oracle::ExcusesOff off(options.plan.excuses_off.begin(), options.plan.excuses_off.end());
    print(oracle::reasoning(file.last.evidence, off) + oracle::explain(file.last.evidence));
  }
}

/// Prints the file's result at once. Exit code: 1 if it is inconsistent, 3 if the harness failed.
void tell(Context& context, const CheckOptions& options, const CheckedFile& file) {
  if (!file.harness_failure.empty()) {
    return context.fail(3, "{}: parityd itself failed, not the program: {}", file.name, file.harness_failure);
  }
  std::optional<std::string> disposition;
  if (file.inconsistent()) {
    context.exit_code = std::max(context.exit_code, 1);
    disposition = file.disposition(options.plan.choices).text();
  }
  options.json ? print_object(context, file, disposition) : print_text(context, options, file, disposition);
}

void judge(Context& context, const CheckOptions& options, Engine& engine) {
  int judged = 0;  // files that are not invalid
  const auto done = Checker(engine, options.plan).run([&](const CheckedFile& file) {
    tell(context, options, file);
    const bool failed = !file.harness_failure.empty();
    judged += failed || file.judged.verdict == oracle::VerdictKind::invalid ? 0 : 1;
  });
  if (!done) {
    context.fail(3, "parityd check: {}", done.error());
  } else if (context.exit_code == 0 && judged == 0) {
    context.exit_code = 2;
  }
}

void check(Context& context, CheckOptions options) {
  if (options.list_excuses) return list_excuses(context, options.json);
  auto config = load_context_config(context);
  if (!config) return;
  if (!options.python.empty()) config->python = options.python;
  if (!options.device.empty()) config->device = options.device;
  auto& plan = options.plan;
  plan.excuses_off.insert(plan.excuses_off.end(), config->excuses_off.begin(), config->excuses_off.end());
  plan.choices = config->dispositions;
  config->workers = options.workers > 0 ? options.workers : config->workers;
  const int wanted = static_cast<int>(std::min<std::size_t>(plan.files.size(), 1024));
  auto engine = make_engine(*config, scratch_for("check"), {.programs = wanted});
  if (!engine) return context.fail(3, "parityd check: {}", engine.error());
  if (!options.json) {
    context.err << fmt::format("{} ({})\n", engine->description(), engine->workers.front().python.string());
  }
  judge(context, options, *engine);
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Compare eager and compiled execution of your own programs. Stores nothing.");
  command
      ->add_option("files", options->plan.files,
                   "Programs and scripts (.py); model replies, issues, notebooks (any other extension)")
      ->type_name("FILE");
  add_python_option(*command, options->python,
                    "Python interpreter whose torch is used (default: that of the newest worker build)");
  add_device_option(*command, options->device);
  command->add_option("--workers", options->workers, "Number of programs to run in parallel")
      ->check(CLI::Range(1, 256));
  command
      ->add_option("--threads", options->plan.threads,
                   "Threads of CPU kernels, overriding OPTIONS (default: as in OPTIONS, or 1)")
      ->check(CLI::Range(1, 64));
  command->add_flag(
      "--json", options->json,
      "Print one JSON object per line: file, verdict, kind, rule, disposition, explanation, fixes, script");
  command->add_flag("--explain", options->explain,
                    "Show for each differing leaf what each rule found and which one decided, then all numbers");
  command->add_flag("--reduce", options->plan.reduce,
                    "Reduce each inconsistent program as far as it still shows the same; takes minutes");
  command->add_flag(
      "--attribute", options->plan.attribute,
      "Find the neutraliser that makes each inconsistency vanish, and a workaround; up to 25 more runs each");
  add_without_option(*command, options->plan.excuses_off);
  command->add_flag("--list-excuses", options->list_excuses, "List all excuses with their sources, and exit");
  command->footer(
      "Exit code: 0 no program is inconsistent, 1 at least one is, 2 no file could be judged, 3 environment error.");
  command->callback([&context, options] {
    if (options->plan.files.empty() && !options->list_excuses) throw CLI::RequiredError("files");
    check(context, *options);
  });
}

}  // namespace parityd::agent
