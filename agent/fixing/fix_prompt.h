// What a model is asked when it is to change torch's Python so that a finding vanishes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/fixing/fired.h"

namespace parityd::agent {

/// A function of the compiler with its source, as installed.
struct FunctionSource {
  FiredFunction function;
  std::string text;
};

struct FixQuestion {
  std::string torch;                      // "2.13.0"
  std::string draft;                      // the text of the issue: program, results, stages, what makes it vanish
  std::string signature;                  // the finding's
  std::string extent;                     // which variants show it and which do not; may be empty
  std::vector<FunctionSource> functions;  // the likeliest first
};

/// Functions whose source is shown; of fifteen labelled faults fourteen lie within the first so many. The others are
/// named only.
inline constexpr std::size_t kMostShown = 17;
/// The longest source that is shown, in characters: some 25,000 tokens. Functions that do not fit are named only.
inline constexpr std::size_t kLongestSources = 100'000;

/// The user's part of the first request; prompts/fix.md is the system's.
[[nodiscard]] std::string fix_question(const FixQuestion& question);

/// The second and last request: what became of the first change. `failure`: the first check that failed and, if it has
/// one, its program.
[[nodiscard]] std::string fix_again(std::string_view failure);

}  // namespace parityd::agent
