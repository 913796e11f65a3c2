// What an option or positional of CLI11 says of itself: for help and for completion, which read the same tree. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace parityd::agent {

/// What a value is, as far as someone can be helped with it.
enum class ValueKind { text, file, folder, finding };

struct OptionFacts {
  std::vector<std::string> names;    // "--output", "-o"; of a positional its name alone
  std::string placeholder;           // of its value: "FILE", "N", "KIND"; empty: a flag
  std::vector<std::string> choices;  // the only values there are; empty: any
  ValueKind kind = ValueKind::text;
};

/// As placeholders are written.
[[nodiscard]] std::string upper(std::string text);

[[nodiscard]] OptionFacts facts_of(const CLI::Option& option);

/// Those that are shown, in the order in which they were added.
[[nodiscard]] std::vector<const CLI::Option*> shown_options(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::Option*> positionals(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::App*> subcommands(const CLI::App& app);

}  // namespace parityd::agent
