#include "agent/llm/reply.h"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "agent/llm/reply_blocks.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

/// The program of a reply without fences: from the first line that can only be Python to the end; the syntax process
/// cuts off prose that follows.
std::string unfenced_program(const std::vector<std::string>& lines) {
  static const RE2 kStart(
      R"((?:>>> |\.\.\. )?(?:import [\w.]+( as \w+)?(, ?[\w.]+)*|from [\w.]+ import .+|class \w+.*:)\s*(#.*)?)");
  std::string program;
  for (const auto& line : lines) {
    if (!program.empty() || RE2::FullMatch(line, kStart)) program += line + "\n";
  }
  return program;
}

ExtractedProgram program(const std::string& text, bool truncated) {
  return {.klass = ReplyClass::program, .program = plain_source(text), .truncated = truncated};
}

}  // namespace

ExtractedProgram extract_program(std::string_view reply, Finish finish) {
  if (finish == Finish::refusal || finish == Finish::filter) return {.klass = ReplyClass::refusal};
  const std::string text = without_thinking(reply);
  if (oracle::trimmed(text).empty()) {
    return {.klass = finish == Finish::length ? ReplyClass::incomplete : ReplyClass::empty};
  }
  const auto lines = reply_lines(text);
  auto blocks = fenced_blocks(lines);
  std::erase_if(blocks, [](const Block& block) { return !is_python(block); });
  const auto whole = std::find_if(blocks.begin(), blocks.end(),
                                  [](const Block& b) { return has_module(b.text) && has_inputs(b.text); });
  if (whole != blocks.end()) return program(whole->text, !whole->closed);
  const auto module = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return has_module(b.text); });
  if (module != blocks.end()) {
    const auto inputs = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return has_inputs(b.text); });
    if (inputs != blocks.end()) {
      const auto& [first, second] = std::minmax(module, inputs);
      return program(first->text + "\n" + second->text, !second->closed);
    }
    const bool cut = !module->closed || finish == Finish::length;
    return cut ? ExtractedProgram{.klass = ReplyClass::incomplete}
               : program(module->text, false);  // inputs may be defined at top level
  }
  if (!blocks.empty()) return {.klass = ReplyClass::lacks_contract};
  const std::string unfenced = unfenced_program(lines);
  if (!has_module(unfenced)) return {.klass = ReplyClass::no_code};
  return program(unfenced, true);
}

GivenText given_text(std::string_view file, const std::string& text) {
  if (file.ends_with(".py")) return {.text = text};
  const auto reply = extract_program(text, Finish::stop);
  if (reply.klass != ReplyClass::program || !has_inputs(reply.program)) return {.text = text};
  return {.text = reply.program, .truncated = reply.truncated};
}

}  // namespace parityd::agent
