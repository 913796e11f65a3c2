// What could be typed next on parityd's command line, out of the command line's own tree. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agent/cli/context.h"

namespace parityd::agent {

struct Completion {
  std::string word;
  std::string text;  // what it is; may be empty
};

struct Completions {
  std::vector<Completion> words;  // all that begin as the last word does
  bool files = false;             // a file can stand there
  bool folders = false;           // a folder
};

/// What is asked elsewhere: findings of the state folder that the line names (empty: the default one).
using FindingsOf = std::function<std::vector<Completion>(const std::string& state)>;

/// `words`: the line after the program's name, as far as the cursor; the last one is unfinished, and may be empty.
[[nodiscard]] Completions complete(const CLI::App& app, const std::vector<std::string>& words,
                                   const FindingsOf& findings);

/// Prints them where the line asks for that: `parityd complete -- WORDS`. It is no command of the tree, whose parser
/// would take the words for its own. False: it asks for something else.
[[nodiscard]] bool answer_completion(Context& context, const CLI::App& app);

/// The script that makes `shell` (bash, zsh or fish) ask `program complete`; it knows no command or option itself, so
/// that it can never be stale.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace parityd::agent
