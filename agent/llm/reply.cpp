#include "agent/llm/reply.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <vector>

#include "oracle/message.h"

namespace parityd::agent {
namespace {

struct Block {
  std::string language;
  std::string text;
  bool closed = false;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    lines.push_back(std::move(line));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

/// Thinking is not the answer: a closed block is cut out, an unclosed one hides all after it, a lone end hides all
/// before. A tag counts at the border of a line: a program may hold one in a string.
std::string without_thinking(std::string_view text) {
  static const RE2 kClosed(R"((?s)(^|\n)[ \t]*<think(?:ing)?>.*?</think(?:ing)?>)");
  static const RE2 kOpen(R"((?s)(^|\n)[ \t]*<think(?:ing)?>.*)");
  static const RE2 kLoneEnd(R"((?s)^.*(?:\n[ \t]*</think(?:ing)?>|</think(?:ing)?>[ \t]*\r?(?:\n|$)))");
  static const RE2 kChannel(R"((?s)^.*<\|channel\|>final<\|message\|>)");
  static const RE2 kChannelEnd(R"(<\|(?:end|return)\|>)");
  std::string result(text);
  RE2::GlobalReplace(&result, kClosed, "\\1");
  RE2::Replace(&result, kOpen, "\\1");
  RE2::Replace(&result, kLoneEnd, "");
  if (RE2::Replace(&result, kChannel, "")) {
    RE2::GlobalReplace(&result, kChannelEnd, "");
  }
  return result;
}

/// Length of the fence a line starts with (backticks or tildes, at least three); 0 when it is none.
std::size_t fence_length(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.empty() || (line[0] != '`' && line[0] != '~')) {
    return 0;
  }
  const auto length = std::min(line.find_first_not_of(line[0]), line.size());
  return length >= 3 ? length : 0;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// A fence inside a docstring stands deeper than the block's own; three columns are what Markdown allows an end.
constexpr std::size_t kIndentedEnd = 3;

std::vector<Block> fenced_blocks(const std::vector<std::string>& lines) {
  std::vector<Block> blocks;
  std::size_t fence = 0;
  std::size_t indent = 0;
  char mark = '`';
  for (const auto& line : lines) {
    const std::size_t length = fence_length(line);
    const auto bare = oracle::trimmed(line);
    if (fence == 0) {
      if (length > 0) {
        fence = length;
        indent = indentation(line);
        mark = bare[0];
        blocks.push_back({.language = std::string(oracle::trimmed(bare.substr(length))), .text = {}, .closed = false});
      }
    } else if (length >= fence && bare[0] == mark && bare.size() == length &&
               indentation(line) <= indent + kIndentedEnd) {
      blocks.back().closed = true;
      fence = 0;
    } else {
      blocks.back().text += line.substr(std::min(indent, indentation(line))) + "\n";  // a block in a list is indented
    }
  }
  return blocks;
}

bool is_python(const Block& block) {
  std::string language = block.language.substr(0, block.language.find_first_of(" {"));
  std::transform(language.begin(), language.end(), language.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return language.empty() || language == "python" || language == "py" || language == "python3" || language == "pycon";
}

bool has_module(const std::string& text) {
  static const RE2 kModule(R"((?m)^[ \t]*(?:>>> |\.\.\. )?class[ \t]+\w+[ \t]*\([^)\n]*Module)");
  return RE2::PartialMatch(text, kModule);
}
bool has_inputs(const std::string& text) {
  static const RE2 kInputs(R"((?m)^[ \t]*(?:>>> |\.\.\. )?def[ \t]+get_inputs\b)");
  return RE2::PartialMatch(text, kInputs);
}

/// Characters that only look like Python's become Python's. One pass: replacing in place is quadratic in a reply of
/// them.
std::string with_plain_characters(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kLookalikes = {{{"\xe2\x80\x98", "'"},
                                                                                                {"\xe2\x80\x99", "'"},
                                                                                                {"\xe2\x80\x9c", "\""},
                                                                                                {"\xe2\x80\x9d", "\""},
                                                                                                {"\xc2\xa0", " "},
                                                                                                {"\xe2\x80\x8b", ""},
                                                                                                {"\xef\xbb\xbf", ""}}};
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto found = std::find_if(kLookalikes.begin(), kLookalikes.end(),
                                    [&](const auto& each) { return text.starts_with(each.first); });
    result += found == kLookalikes.end() ? text.substr(0, 1) : found->second;
    text.remove_prefix(found == kLookalikes.end() ? 1 : found->first.size());
  }
  return result;
}

/// Without the prompts of an interactive session.
std::string plain_source(const std::string& text) {
  const bool session = text.starts_with(">>> ") || text.find("\n>>> ") != std::string::npos;
  std::string result;
  for (auto line : lines_of(text)) {
    if (session && (line.starts_with(">>> ") || line.starts_with("... "))) {
      line.erase(0, 4);
    } else if (session && (line == ">>>" || line == "...")) {
      line.clear();
    }
    result += line + "\n";
  }
  return with_plain_characters(result);
}

/// Without fences: from the first line that can only be Python to the end; where prose follows, syntax cuts it back.
std::string unfenced_program(const std::vector<std::string>& lines) {
  static const RE2 kStart(
      R"((?:>>> |\.\.\. )?(?:import [\w.]+( as \w+)?(, ?[\w.]+)*|from [\w.]+ import .+|class \w+.*:)\s*(#.*)?)");
  std::string program;
  for (const auto& line : lines) {
    if (!program.empty() || RE2::FullMatch(line, kStart)) {
      program += line + "\n";
    }
  }
  return program;
}

ExtractedProgram program(const std::string& text, bool truncated) {
  return {.klass = ReplyClass::program, .program = plain_source(text), .truncated = truncated};
}

}  // namespace

std::string_view name(ReplyClass klass) {
  switch (klass) {
    case ReplyClass::program:
      return "program";
    case ReplyClass::empty:
      return "empty";
    case ReplyClass::refusal:
      return "refusal";
    case ReplyClass::no_code:
      return "no_code";
    case ReplyClass::incomplete:
      return "incomplete";
    case ReplyClass::lacks_contract:
      return "lacks_contract";
  }
  return "?";
}

ExtractedProgram extract_program(std::string_view reply, Finish finish) {
  if (finish == Finish::refusal || finish == Finish::filter) {
    return {.klass = ReplyClass::refusal};
  }
  const std::string text = without_thinking(reply);
  if (oracle::trimmed(text).empty()) {
    return {.klass = finish == Finish::length ? ReplyClass::incomplete : ReplyClass::empty};
  }
  const auto lines = lines_of(text);
  auto blocks = fenced_blocks(lines);
  std::erase_if(blocks, [](const Block& block) { return !is_python(block); });
  const auto whole = std::find_if(blocks.begin(), blocks.end(),
                                  [](const Block& b) { return has_module(b.text) && has_inputs(b.text); });
  if (whole != blocks.end()) {
    return program(whole->text, !whole->closed);
  }
  const auto module = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return has_module(b.text); });
  if (module != blocks.end()) {
    const auto inputs = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return has_inputs(b.text); });
    if (inputs != blocks.end()) {
      const auto& [first, second] = std::minmax(module, inputs);
      return program(first->text + "\n" + second->text, !second->closed);
    }
    const bool cut = !module->closed || finish == Finish::length;
    return cut ? ExtractedProgram{.klass = ReplyClass::incomplete}
               : program(module->text, false);  // inputs may stand at top level
  }
  if (!blocks.empty()) {
    return {.klass = ReplyClass::lacks_contract};
  }
  const std::string unfenced = unfenced_program(lines);
  if (!has_module(unfenced)) {
    return {.klass = ReplyClass::no_code};
  }
  return program(unfenced, true);
}

GivenText given_text(std::string_view file, const std::string& text) {
  if (file.ends_with(".py")) return {.text = text};
  const auto reply = extract_program(text, Finish::stop);
  if (reply.klass != ReplyClass::program || !has_inputs(reply.program)) return {.text = text};
  return {.text = reply.program, .truncated = reply.truncated};
}

}  // namespace parityd::agent
