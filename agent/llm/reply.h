// Extracts the program or programs from a reply's text, or classifies a reply without one. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "oracle/names.h"

namespace parityd::agent {

using oracle::name;

/// Classes of replies; counted separately.
enum class ReplyClass { program, empty, refusal, no_code, incomplete, lacks_contract };
constexpr auto names(ReplyClass) {
  return std::to_array<std::string_view>({"program", "empty", "refusal", "no_code", "incomplete", "lacks_contract"});
}

struct ExtractedProgram {
  ReplyClass klass = ReplyClass::empty;
  std::string program;  // set iff klass is program
  /// It does not end at a closing fence (cut off, or no fence at all): the syntax process should salvage it.
  bool truncated = false;
};

/// One program of a reply with several, and the hypothesis written before it.
struct HypothesisProgram {
  int place = 0;           // position in the reply: 1, 2, …
  std::string hypothesis;  // without its label; empty: none
  bool check = false;      // only about a check that eager makes
  std::string program;     // empty: a hypothesis without one
  bool truncated = false;  // as in ExtractedProgram
};

/// A model's reply to a reading.
struct ExtractedReading {
  ReplyClass klass = ReplyClass::empty;  // program: at least one hypothesis has one
  std::vector<HypothesisProgram> hypotheses;
};

/// All complete hypotheses. If the reply was cut off, the block in which it was cut is dropped unless it is the only
/// one. Programs only about checks beyond the first `checks` are dropped too; their hypotheses stay.
[[nodiscard]] ExtractedReading extract_reading(std::string_view text, Finish finish, int checks);

/// Extracts one program. Copes with prose, several fences, no fence, a cut block and thinking tags.
[[nodiscard]] ExtractedProgram extract_program(std::string_view text, Finish finish);

/// The part of a person's file to parse: the program of a model's reply; all of any other text that is not a .py file
/// (an issue, a notebook), in which the syntax process finds the Python.
struct GivenText {
  std::string text;
  bool truncated = false;
};
[[nodiscard]] GivenText given_text(std::string_view file, const std::string& text);

}  // namespace parityd::agent
