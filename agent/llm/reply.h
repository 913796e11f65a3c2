// Takes the program, or the programs, out of a reply's text, or says which class of reply it is. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "oracle/names.h"

namespace parityd::agent {

using oracle::name;

/// What a reply turned out to be; counted apart.
enum class ReplyClass { program, empty, refusal, no_code, incomplete, lacks_contract };
constexpr auto names(ReplyClass) {
  return std::to_array<std::string_view>({"program", "empty", "refusal", "no_code", "incomplete", "lacks_contract"});
}

struct ExtractedProgram {
  ReplyClass klass = ReplyClass::empty;
  std::string program;     // set iff klass is program
  bool truncated = false;  // its end is not where a fence closed (cut, or no fence at all): let syntax salvage it
};

/// A program of a reply that holds several, with the line that stood before it.
struct HypothesisProgram {
  int place = 0;           // in the reply: 1, 2, …
  std::string hypothesis;  // without its label; empty: there was none
  bool check = false;      // about a check alone that eager makes
  std::string program;     // empty: a hypothesis without one
  bool truncated = false;  // as ExtractedProgram's
};

/// What a model made of what it read.
struct ExtractedReading {
  ReplyClass klass = ReplyClass::empty;  // program: there is one at least
  std::vector<HypothesisProgram> hypotheses;
};

/// All that is whole: of a reply that was cut short, the block in which it was cut goes, unless there is no other.
/// Programs about checks alone beyond the first `checks` go too; their hypotheses stay.
[[nodiscard]] ExtractedReading extract_reading(std::string_view text, Finish finish, int checks);

/// Copes with prose, several fences, none, a cut block and thinking tags.
[[nodiscard]] ExtractedProgram extract_program(std::string_view text, Finish finish);

/// What is parsed of a file that a person gives: of a model's reply its program; of any other text that is no .py file
/// (an issue, a notebook) all of it, in which the syntax process finds the Python.
struct GivenText {
  std::string text;
  bool truncated = false;
};
[[nodiscard]] GivenText given_text(std::string_view file, const std::string& text);

}  // namespace parityd::agent
