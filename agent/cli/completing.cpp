#include "agent/cli/completing.h"

#include <algorithm>

#include "agent/cli/option_facts.h"

namespace parityd::agent {
namespace {

/// Interprets the words before the last one like the parser.
class Reading {
 public:
  explicit Reading(const CLI::App& app) : app_(&app) {}

  void read(const std::string& word) {
    if (value_of_ != nullptr) {
      if (facts_of(*value_of_).names.front() == "--state") state_ = word;
      value_of_ = nullptr;
    } else if (only_positionals_ || word.size() < 2 || word.front() != '-') {
      take_bare(word);
    } else if (word == "--") {
      only_positionals_ = true;
    } else {
      take_option(word);
    }
  }

  [[nodiscard]] const CLI::App& app() const { return *app_; }
  [[nodiscard]] const std::string& state() const { return state_; }
  /// The option whose value comes next; null: none.
  [[nodiscard]] const CLI::Option* value_of() const { return value_of_; }
  [[nodiscard]] bool may_be_option() const { return !only_positionals_; }
  /// The positional that a bare word would fill; null: none is accepted.
  [[nodiscard]] const CLI::Option* positional() const {
    const auto all = positionals(*app_);
    if (all.empty()) return nullptr;
    const bool last_takes_more = all.back()->get_items_expected_max() > 1;
    if (taken_ >= all.size() && !last_takes_more) return nullptr;
    return all[std::min(taken_, all.size() - 1)];
  }
  /// Finds an option of the command or of those around it, by any of its names.
  [[nodiscard]] const CLI::Option* option(const std::string& name) const {
    for (const CLI::App* app = app_; app != nullptr; app = app->get_parent()) {
      if (const auto* found = app->get_option_no_throw(name)) return found;
    }
    return nullptr;
  }

 private:
  void take_bare(const std::string& word) {
    for (const CLI::App* sub : subcommands(*app_)) {
      if (sub->get_name() == word && taken_ == 0) {
        app_ = sub;
        return;
      }
    }
    ++taken_;
  }
  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    const auto* found = option(word.substr(0, equals));
    if (found == nullptr || facts_of(*found).placeholder.empty()) return;
    value_of_ = found;
    if (equals != std::string::npos) read(word.substr(equals + 1));
  }

  const CLI::App* app_;
  const CLI::Option* value_of_ = nullptr;
  std::string state_;
  std::size_t taken_ = 0;
  bool only_positionals_ = false;
};

class Candidates {
 public:
  explicit Candidates(std::string prefix) : prefix_(std::move(prefix)) {}

  void add(const std::string& word, const std::string& text) {
    if (word.starts_with(prefix_)) found_.words.push_back({.word = word, .text = text});
  }
  void add_value_of(const CLI::Option& option, const std::string& state, const FindingsOf& findings) {
    const OptionFacts facts = facts_of(option);
    for (const auto& choice : facts.choices) add(choice, "");
    if (facts.kind == ValueKind::finding) {
      for (const auto& [id, title] : findings(state)) add(id, title);
    }
    found_.files = found_.files || facts.kind == ValueKind::file;
    found_.folders = found_.folders || facts.kind == ValueKind::folder;
  }
  [[nodiscard]] Completions release() { return std::move(found_); }

 private:
  std::string prefix_;
  Completions found_;
};

void add_options(const CLI::App& command, Candidates& candidates) {
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : shown_options(*app)) {
      const bool repeated = app != &command && option == app->get_help_ptr();
      const auto names = facts_of(*option).names;
      if (!repeated && !names.empty()) candidates.add(names.front(), option->get_description());
    }
  }
}

}  // namespace

Completions complete(const CLI::App& app, const std::vector<std::string>& words, const FindingsOf& findings) {
  const std::string last = words.empty() ? "" : words.back();
  Reading reading(app);
  for (std::size_t index = 0; index + 1 < words.size(); ++index) reading.read(words[index]);
  const CLI::Option* valued = reading.value_of();
  const bool is_option = valued == nullptr && reading.may_be_option() && last.starts_with('-');
  const auto equals = is_option ? last.find('=') : std::string::npos;
  if (equals != std::string::npos) valued = reading.option(last.substr(0, equals));
  Candidates candidates(equals == std::string::npos || valued == nullptr ? last : last.substr(equals + 1));
  if (valued == nullptr && is_option) {
    add_options(reading.app(), candidates);
  } else if (valued == nullptr) {
    for (const CLI::App* sub : subcommands(reading.app())) candidates.add(sub->get_name(), sub->get_description());
    valued = reading.positional();
  }
  if (valued != nullptr) candidates.add_value_of(*valued, reading.state(), findings);
  return candidates.release();
}

}  // namespace parityd::agent
