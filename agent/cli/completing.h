// Completes parityd's command line, from the parser's own tree of commands. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agent/cli/context.h"

namespace parityd::agent {

struct Completion {
  std::string word;
  std::string text;  // description; may be empty
};

struct Completions {
  std::vector<Completion> words;  // all that begin with the last word
  bool files = false;             // a file is possible
  bool folders = false;           // a folder is possible
};

/// Supplies the findings of the state folder that the line names (empty: the default one).
using FindingsOf = std::function<std::vector<Completion>(const std::string& state)>;

/// `words`: the line after the program's name up to the cursor; the last word is unfinished and may be empty.
[[nodiscard]] Completions complete(const CLI::App& app, const std::vector<std::string>& words,
                                   const FindingsOf& findings);

/// Prints completions if the line is `parityd complete -- WORDS`. This is not a command of the tree, whose parser would
/// interpret the words. False: the line is something else.
[[nodiscard]] bool answer_completion(Context& context, const CLI::App& app);

/// The script that makes `shell` (bash, zsh or fish) call `program complete`; it contains no command or option itself,
/// so it never becomes stale.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace parityd::agent
