// Facts about an option or positional of CLI11, for help and completion, which read the same tree. Pure; any thread.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace parityd::agent {

/// The kind of a value, for completion.
enum class ValueKind { text, file, folder, finding };

struct OptionFacts {
  std::vector<std::string> names;    // "--output", "-o"; for a positional only its name
  std::string placeholder;           // name of its value: "FILE", "N", "KIND"; empty: a flag
  std::vector<std::string> choices;  // the only allowed values; empty: any
  ValueKind kind = ValueKind::text;
};

/// The text in upper case, as placeholders are written.
[[nodiscard]] std::string upper(std::string text);

[[nodiscard]] OptionFacts facts_of(const CLI::Option& option);

/// Options shown in the help, in the order in which they were added.
[[nodiscard]] std::vector<const CLI::Option*> shown_options(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::Option*> positionals(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::App*> subcommands(const CLI::App& app);

}  // namespace parityd::agent
