#include "agent/cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "agent/cli/option_facts.h"
#include "agent/cli/table.h"
#include "agent/nearest.h"

namespace parityd::agent {
namespace {

/// The command that was being read when the mistake came.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto chosen = command->get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
    command = chosen.back();
  }
  return *command;
}

/// Its own and those of the commands around it.
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
  if (!extras.empty()) return fmt::format("one word too many: {}", printable_line(extras.front()));
  if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "which command?";
  return printable_line(error.what());
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr; parent = parent->get_parent()) {
    name = parent->get_name() + " " + name;
  }
  return fmt::format("{}: {}\n`{} --help` {}\n", name, what_is_wrong(app, command, error), name,
                     commands_of(command).empty() ? "says what it takes" : "lists the commands");
}

}  // namespace parityd::agent
