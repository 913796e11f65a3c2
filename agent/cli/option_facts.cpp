#include "agent/cli/option_facts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace parityd::agent {
namespace {

/// CLI::IsMember describes itself as "{a,b,c}".
std::vector<std::string> choices_in(const std::string& type) {
  const auto begin = type.find('{'), end = type.rfind('}');
  std::vector<std::string> all;
  if (begin == std::string::npos || end == std::string::npos || end < begin) return all;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string each; std::getline(list, each, ',');) all.push_back(each);
  return all;
}

/// The placeholder for CLI11's names of C++ types, which may be followed by checks ("INT:NONNEGATIVE", "INT in [1 -
/// 256]").
std::string placeholder_of(const std::string& type, const std::string& name) {
  const std::string word = type.substr(0, type.find_first_of(": "));
  if (word == "INT" || word == "UINT") return "N";
  if (word == "FLOAT") return "NUMBER";
  return word.empty() || word == "TEXT" ? upper(name) : type;
}

ValueKind value_kind_of(const std::string& placeholder) {
  static const std::map<std::string, ValueKind> kKinds{{"FILE", ValueKind::file},
                                                       {"PYTHON", ValueKind::file},
                                                       {"DIR", ValueKind::folder},
                                                       {"[ID...] DIR", ValueKind::folder},
                                                       {"FINDING", ValueKind::finding}};
  const auto found = kKinds.find(placeholder);
  return found == kKinds.end() ? ValueKind::text : found->second;
}

}  // namespace

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
  return text;
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const auto& name : option.get_lnames()) facts.names.push_back("--" + name);
  for (const auto& name : option.get_snames()) facts.names.push_back("-" + name);
  const bool positional = option.get_positional();
  if (positional && facts.names.empty()) facts.names.push_back(option.get_single_name());
  if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return facts;
  facts.choices = choices_in(option.get_type_name());
  const std::string own =
      positional || option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
  facts.placeholder = facts.choices.empty() ? placeholder_of(option.get_type_name(), own) : upper(own);
  facts.kind = value_kind_of(facts.placeholder);
  return facts;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty() && !sub->get_group().empty(); });
}

}  // namespace parityd::agent
