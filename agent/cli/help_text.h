// `--help` in columns that fit the screen. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "agent/cli/screen.h"

namespace parityd::agent {

/// The complete help of a command, from its options, positionals and subcommands. In footers each line is a paragraph;
/// lines that begin with blanks (examples) are kept unmodified.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(Screen screen) : screen_(screen) {}
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  Screen screen_;
};

}  // namespace parityd::agent
