#include "agent/cli/help_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "agent/cli/option_facts.h"
#include "agent/cli/table.h"

namespace parityd::agent {
namespace {

using Entry = std::pair<std::string, std::string>;  // name and description

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestName = 26;  // longer ones have their description on the next line
constexpr std::size_t kLeastText = 24;   // minimum columns of a description beside its name

std::string entries(const std::string& heading, const std::vector<Entry>& all, const Screen& screen) {
  if (all.empty()) return {};
  std::size_t width = 0;
  for (const auto& [name, text] : all) width = name.size() <= kWidestName ? std::max(width, name.size()) : width;
  const std::size_t column = kIndent + width + kIndent;
  const bool below = column + kLeastText > screen.text_columns();
  std::string result = "\n" + coloured(heading + ":", Colour::bold, screen.colour) + "\n";
  for (const auto& [name, text] : all) {
    const std::size_t indent = below ? 3 * kIndent : column;
    result += std::string(kIndent, ' ') + name;
    if (!text.empty()) {
      const bool beside = !below && name.size() <= width;
      result += beside ? std::string(column - kIndent - name.size(), ' ') : "\n" + std::string(indent, ' ');
      result += wrapped(text, indent, screen);
    }
    result += "\n";
  }
  return result;
}

/// Lists the possible values unless the description does.
std::string text_of(const CLI::Option& option, const OptionFacts& facts) {
  std::string text = option.get_description();
  const bool told =
      std::ranges::all_of(facts.choices, [&](const auto& choice) { return text.find(choice) != std::string::npos; });
  if (!facts.choices.empty() && !told) text += fmt::format(": {}", fmt::join(facts.choices, ", "));
  if (!option.get_default_str().empty()) text += fmt::format(" (default: {})", option.get_default_str());
  if (option.nonpositional() && option.get_required()) text += " (required)";
  return text;
}

Entry entry_of(const CLI::Option& option) {
  const OptionFacts facts = facts_of(option);
  std::string name = fmt::format("{}", fmt::join(facts.names, ", "));
  if (option.get_positional()) {
    name = facts.kind == ValueKind::text && facts.placeholder != "PROGRAM" ? facts.names.front() : facts.placeholder;
  } else if (!facts.placeholder.empty()) {
    name += " " + facts.placeholder;
  }
  return {std::move(name), text_of(option, facts)};
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "Usage: " + (name.empty() ? app.get_name() : name);
  for (const CLI::Option* option : positionals(app)) {
    std::string word = upper(entry_of(*option).first);
    const bool many = option->get_items_expected_max() > 1 && word.find("...") == std::string::npos;
    word += many ? "..." : "";
    text += " " + (option->get_required() ? word : "[" + word + "]");
  }
  if (!subcommands(app).empty()) text += " COMMAND";
  return text + " [OPTIONS]";
}

std::string paragraphs(const std::string& text, const Screen& screen) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const bool kept = line.empty() || line.front() == ' ';
    result += (kept ? line : wrapped(line, 0, screen)) + "\n";
  }
  return result;
}

/// Example command lines for a command ("worker build"); empty if there are none.
const std::vector<std::string>& examples_of(std::string_view command) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> kExamples{
      {"run",
       {"parityd run", "parityd run --programs 24", "parityd run --for 8h --background",
        "parityd run --provider none --drain"}},
      {"status", {"parityd status", "parityd status --watch", "parityd status --watch --every 60 >> status.log"}},
      {"stop", {"parityd stop"}},
      {"import", {"parityd import my_model.py replies/*.md"}},
      {"check",
       {"parityd check my_model.py", "parityd check --explain --reduce my_model.py",
        "parityd check --json models/*.py"}},
      {"findings",
       {"parityd findings", "parityd findings --kind numerical --trigger ordinary", "parityd findings --queue"}},
      {"show", {"parityd show 3"}},
      {"draft", {"parityd draft 3", "parityd draft 3 --output issue.md", "parityd draft --umbrella 197554"}},
      {"repro", {"parityd repro 3 --output repro.py"}},
      {"export", {"parityd export out", "parityd export 3 7 out"}},
      {"stats", {"parityd stats --since 7d", "parityd stats --coverage", "parityd stats --fixes"}},
      {"triage",
       {"parityd triage 3 wontfix --note \"documented\"",
        "parityd triage 3 filed --issue https://github.com/pytorch/pytorch/issues/1 --checked \"on two machines\""}},
      {"merge", {"parityd merge 7 3 --note \"the same lowering\""}},
      {"split", {"parityd split 3 120 121 --note \"another operator\""}},
      {"undo", {"parityd undo"}},
      {"known sync", {"parityd known sync"}},
      {"known import", {"parityd known import issues.jsonl"}},
      {"notify", {"parityd notify 3"}},
      {"inspect", {"parityd inspect --list", "parityd inspect 3 --tool trace"}},
      {"recheck",
       {"parityd recheck", "parityd recheck 3 --python /opt/torch-nightly/bin/python",
        "parityd recheck 3 --group cpu"}},
      {"verify", {"parityd verify 3 --overlay my-fix"}},
      {"fix",
       {"parityd fix 3", "parityd fix 3 --provider mine", "parityd fix 3 --prompt > question.md",
        "parityd fix 3 --reply answer.md --keep \"a model\""}},
      {"rejudge", {"parityd rejudge"}},
      {"cluster slurm",
       {"parityd cluster slurm --nodes 2 --gpus 4 --cores 64 > parityd.sbatch",
        "parityd cluster slurm --cores 32 --partition short --time 1:00:00 > parityd.sbatch"}},
      {"doctor", {"parityd doctor", "parityd doctor --self-test"}},
      {"backup", {"parityd backup copy.db", "parityd backup --restore copy.db"}},
      {"worker build", {"parityd worker build --python .venv/bin/python"}},
      {"worker list", {"parityd worker list"}},
      {"completion", {"source <(parityd completion bash)", "parityd completion fish | source"}},
  };
  static const std::vector<std::string> kNone;
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? kNone : found->second;
}

/// A line that is too long is continued after a backslash, as in a shell.
std::string examples(const CLI::App& app, const Screen& screen) {
  const bool inner = app.get_parent() != nullptr && app.get_parent()->get_parent() != nullptr;
  const auto& lines = examples_of(inner ? app.get_parent()->get_name() + " " + app.get_name() : app.get_name());
  if (lines.empty()) return {};
  Screen room = screen;
  room.columns = screen.text_columns() - 2;
  std::string result = "\n" + coloured("Examples:", Colour::bold, screen.colour) + "\n";
  for (const std::string& line : lines) {
    std::string text = wrapped(line, 2 * kIndent, room);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.insert(at, " \\");
    result += std::string(kIndent, ' ') + text + "\n";
  }
  return result;
}

}  // namespace

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
  std::string text = paragraphs(app->get_description(), screen_) + "\n" + wrapped(usage(*app, name), 9, screen_) + "\n";
  std::vector<Entry> words, options;
  for (const CLI::Option* option : positionals(*app)) words.push_back(entry_of(*option));
  for (const CLI::Option* option : shown_options(*app)) options.push_back(entry_of(*option));
  std::vector<std::pair<std::string, std::vector<Entry>>> groups;
  for (const CLI::App* command : subcommands(*app)) {
    const std::string group = command->get_group() == "Subcommands" ? "Commands" : command->get_group();
    auto place = std::ranges::find_if(groups, [&](const auto& each) { return each.first == group; });
    if (place == groups.end()) place = groups.insert(groups.end(), {group, {}});
    place->second.emplace_back(command->get_name(), command->get_description());
  }
  text += entries("Arguments", words, screen_);
  for (const auto& [group, commands] : groups) text += entries(group, commands, screen_);
  text += entries("Options", options, screen_);
  if (app->get_parent() != nullptr) {
    text += "  " + wrapped("Common options (--state DIR, --config FILE): see `parityd --help`", kIndent, screen_);
    text += "\n";
  }
  const CLI::App* const parent = app->get_parent();
  std::string footer = app->get_footer();
  if (parent != nullptr && parent->get_footer() == footer) footer.clear();  // inherited from the parent by CLI11
  text += footer.empty() ? "" : "\n" + paragraphs(footer, screen_);
  return text + examples(*app, screen_);
}

}  // namespace parityd::agent
