// What a model is asked when it is to change torch's Python so that a finding vanishes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/fixing/fired.h"
#include "agent/fixing/surroundings.h"

namespace parityd::agent {

/// A function of the compiler with its source, as installed.
struct FunctionSource {
  FiredFunction function;
  std::string text;           // empty: it is only named
  ReachedBy reached_by = {};  // also by others than the program's operators; empty: not known
};

/// A function that did not fire, with its source.
struct SiblingSource {
  SiblingFunction function;
  std::string text;
};

struct FixQuestion {
  std::string torch;                      // "2.13.0"
  std::string draft;                      // title and body of the issue: program, results, stages, what makes it vanish
  std::string signature;                  // the finding's
  std::string extent;                     // which variants show it and which do not; may be empty
  std::string whereabouts = {};           // a sentence: where the mistake must be; may be empty
  std::string graphs = {};                // as Inductor got them; may be empty
  std::vector<FunctionSource> functions;  // the likeliest first
  std::vector<SiblingSource> siblings = {};
  std::vector<Documented> documented = {};
};

/// Functions whose source is shown, not counting short ones; the others are named only.
inline constexpr std::size_t kMostShown = 20;
/// Lines: functions up to this length are short.
inline constexpr int kShortFunction = 12;
/// The longest sources that are shown, in characters: some 25,000 tokens. Functions that do not fit are named only.
inline constexpr std::size_t kLongestSources = 90'000;
/// The others' limits, in characters; graphs are cut, siblings that do not fit left out.
inline constexpr std::size_t kLongestGraphs = 8'000, kLongestSiblings = 16'000, kLongestDocumented = 8'000;
/// The draft's, in characters. All limits together: some 45,000 tokens.
inline constexpr std::size_t kLongestDraft = 24'000;

/// The user's part of the first request; prompts/fix.md is the system's.
[[nodiscard]] std::string fix_question(const FixQuestion& question);

/// The second and last request: what became of the first change. `failure`: the first check that failed and, if it has
/// one, its program.
[[nodiscard]] std::string fix_again(std::string_view failure);

}  // namespace parityd::agent
