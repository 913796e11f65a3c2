// parityd check FILE…: judges programs by hand. Nothing is stored; a warm difference is confirmed by one gate round.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/commands/check_report.h"
#include "agent/cli/commands/without_option.h"
#include "agent/cli/running/checker.h"

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

void judge(Context& context, const CheckOptions& options, Engine& engine) {
  using Form = CheckReport::Form;
  CheckReport report(context, options.plan, options.json ? Form::json : options.explain ? Form::explained : Form::text);
  const auto done = Checker(engine, options.plan).run([&](const CheckedFile& file) { report.print(file); });
  if (!done) {
    context.err << "parityd check: " << done.error() << "\n";
    context.exit_code = 3;
  } else if (context.exit_code == 0 && report.judged() == 0) {
    context.exit_code = 2;
  }
}

void check(Context& context, CheckOptions options) {
  if (options.list_excuses) {
    list_excuses(context, options.json);
    return;
  }
  auto config = load_context_config(context);
  if (!config) return;
  if (!options.python.empty()) {
    config->python = options.python;
  }
  if (!options.device.empty()) {
    config->device = options.device;
  }
  auto& plan = options.plan;
  plan.excuses_off.insert(plan.excuses_off.end(), config->excuses_off.begin(), config->excuses_off.end());
  plan.choices = config->dispositions;
  config->workers = options.workers > 0 ? options.workers : config->workers;
  const int wanted = static_cast<int>(std::min<std::size_t>(plan.files.size(), 1024));
  auto engine = make_engine(*config, find_installation().cache / "scratch" / fmt::format("check-{}", getpid()),
                            {.programs = wanted});
  if (!engine) {
    context.err << "parityd check: " << engine.error() << "\n";
    context.exit_code = 3;
    return;
  }
  if (!options.json) {
    context.err << fmt::format("{} ({})\n", engine->description(), engine->workers.front().python.string());
  }
  judge(context, options, *engine);
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Judge programs by hand: eager against compiled. Stores nothing.");
  command
      ->add_option("files", options->plan.files,
                   "Programs and scripts (.py); replies of a model, issues, notebooks (any other ending)")
      ->type_name("FILE");
  command->add_option("--python", options->python, "Interpreter whose torch judges; default: the newest worker built")
      ->type_name("PYTHON");
  command->add_option("--device", options->device, "cpu, cuda or auto")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command->add_option("--workers", options->workers, "Programs at the same time")->check(CLI::Range(1, 256));
  command
      ->add_option("--threads", options->plan.threads,
                   "For kernels on a CPU, whatever OPTIONS say; default: as they say, else 1")
      ->check(CLI::Range(1, 64));
  command->add_flag("--json", options->json,
                    "One object a line: file, verdict, kind, rule, disposition, explanation, fixes, script");
  command->add_flag("--explain", options->explain,
                    "For every leaf that differs what each rule asked and which decided, then all numbers");
  command->add_flag("--reduce", options->plan.reduce,
                    "Make each inconsistent program as small as it can be while it shows the same; takes minutes");
  command->add_flag("--attribute", options->plan.attribute,
                    "What makes an inconsistency vanish: up to 25 more runs each, the neutraliser and a workaround");
  add_without_option(*command, options->plan.excuses_off);
  command->add_flag("--list-excuses", options->list_excuses, "Every excuse by name, with its source; checks nothing");
  command->footer(
      "Exit code: 0 nothing inconsistent, 1 something is, 2 no file could be judged, 3 the environment is at fault.");
  command->callback([&context, options] {
    if (options->plan.files.empty() && !options->list_excuses) throw CLI::RequiredError("files");
    check(context, *options);
  });
}

}  // namespace parityd::agent
