#include "agent/cli/command_line.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "agent/cli/commands.h"
#include "agent/cli/completing.h"
#include "agent/cli/help_text.h"
#include "agent/cli/option_facts.h"
#include "agent/cli/version.h"
#include "agent/nearest.h"

namespace parityd::agent {
namespace {

using Adder = void (*)(CLI::App&, Context&);

/// Adds the commands under the help's headings.
void add_subcommands(CLI::App& app, Context& context) {
  const std::vector<std::pair<const char*, std::vector<Adder>>> groups{
      {"Finding bugs", {add_demo, add_run, add_status, add_stop, add_import, add_check}},
      {"Reading findings", {add_findings, add_show, add_draft, add_repro, add_export, add_stats}},
      {"Deciding", {add_triage, add_grouping, add_known, add_notify}},
      {"Investigating", {add_inspect, add_recheck, add_verify, add_fix, add_rejudge}},
      {"Maintenance", {add_doctor, add_backup, add_worker, add_cluster, add_completion}}};
  for (const auto& [heading, adders] : groups) {
    const std::size_t before = app.get_subcommands({}).size();
    for (const Adder add : adders) add(app, context);
    const auto all = app.get_subcommands({});
    for (std::size_t index = before; index < all.size(); ++index) all[index]->group(heading);
  }
}

/// The command being parsed when the error occurred.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto chosen = command->get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
    command = chosen.back();
  }
  return *command;
}

/// Names of its own options and of those of the commands around it.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : shown_options(*app)) {
      const auto names = facts_of(*option).names;
      all.insert(all.end(), names.begin(), names.end());
    }
  }
  return all;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::App* sub : subcommands(command)) all.push_back(sub->get_name());
  return all;
}

std::string unknown(const char* what, const std::string& word, const std::vector<std::string>& known) {
  const auto meant = nearest(word, known);
  return fmt::format("no such {}: {}{}", what, printable_line(word), meant ? "; did you mean " + *meant + "?" : "");
}

std::string what_is_wrong(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const auto extras = app.remaining(true);
  const auto commands = commands_of(command);
  for (const std::string& word : extras) {
    if (word.size() > 1 && word.front() == '-') {
      return unknown("option", word.substr(0, word.find('=')), options_of(command));
    }
    if (!commands.empty()) return unknown("command", word, commands);
  }
  if (!extras.empty()) return fmt::format("unexpected argument: {}", printable_line(extras.front()));
  if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "a command is required";
  return printable_line(error.what());
}

/// The error, what was probably meant, and where to read on. `app` has parsed as far as it could.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr; parent = parent->get_parent()) {
    name.insert(0, parent->get_name() + " ");
  }
  return fmt::format("{}: {}\n`{} --help` {}\n", name, what_is_wrong(app, command, error), name,
                     commands_of(command).empty() ? "shows its usage" : "lists the commands");
}

}  // namespace

int run_command_line(const std::vector<std::string>& words, std::ostream& out, std::ostream& err, Screen screen) {
  Context context{.arguments = words, .out = out, .err = err, .screen = screen};

  CLI::App app(
      "Find bugs in PyTorch's compiler: run generated programs in eager mode and compiled, and draft issues for "
      "differences.",
      "parityd");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.footer(
      "State folder: --state DIR, $STATE_DIRECTORY, $XDG_STATE_HOME/parityd or ~/.local/state/parityd.\n"
      "`parityd COMMAND --help` shows details. Exit codes: 0 success, 1 found something or not found, 2 usage error, 3 "
      "environment.\n"
      "\n"
      "First steps:\n"
      "  parityd demo                # look at real findings\n"
      "  parityd doctor              # check the installation\n"
      "  parityd run --programs 24   # search for bugs\n"
      "  parityd findings            # list what was found\n"
      "  parityd draft 1             # print an issue draft");
  app.formatter(std::make_shared<HelpText>(screen));
  std::string state;
  app.add_option("--state", state, "State folder with the database, lock and log")->type_name("DIR");
  app.add_option("--config", context.config_file, "Configuration file (default: $XDG_CONFIG_HOME/parityd/parityd.toml)")
      ->type_name("FILE");
  app.fallthrough();
  app.parse_complete_callback([&] { context.state_directory = resolve_state_directory(state); });
  add_subcommands(app, context);
  if (answer_completion(context, app)) return 0;
  try {
    // The parser takes the words in reverse order.
    app.parse(std::vector<std::string>(words.rbegin(), std::prev(words.rend())));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);  // --help, --version
    err << usage_error(app, error);
    return 2;
  } catch (const std::exception& error) {
    err << "parityd: " << error.what() << "\n";
    return 3;
  }
  return context.exit_code;
}

}  // namespace parityd::agent
