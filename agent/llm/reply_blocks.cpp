#include "agent/llm/reply_blocks.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

/// Length of the fence that a line starts with (at least three backticks or tildes); 0 if there is none.
std::size_t fence_length(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
  const auto length = std::min(line.find_first_not_of(line[0]), line.size());
  return length >= 3 ? length : 0;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// A fence inside a docstring is indented deeper than the block's own. Markdown allows a closing fence three columns.
constexpr std::size_t kIndentedEnd = 3;

/// Replaces characters that only look like Python's. In one pass: replacing in place is quadratic in a reply full of
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

}  // namespace

std::vector<std::string> reply_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

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
  if (RE2::Replace(&result, kChannel, "")) RE2::GlobalReplace(&result, kChannelEnd, "");
  return result;
}

std::vector<Block> fenced_blocks(const std::vector<std::string>& lines) {
  std::vector<Block> blocks;
  std::size_t fence = 0;
  std::size_t indent = 0;
  char mark = '`';
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string& line = lines[at];
    const std::size_t length = fence_length(line);
    const auto bare = oracle::trimmed(line);
    if (fence == 0) {
      if (length > 0) {
        fence = length;
        indent = indentation(line);
        mark = bare[0];
        blocks.push_back(
            {.language = std::string(oracle::trimmed(bare.substr(length))), .text = {}, .begin = at, .end = at + 1});
      }
    } else if (length >= fence && bare[0] == mark && bare.size() == length &&
               indentation(line) <= indent + kIndentedEnd) {
      blocks.back().closed = true;
      blocks.back().end = at + 1;
      fence = 0;
    } else {
      blocks.back().end = at + 1;
      blocks.back().text += line.substr(std::min(indent, indentation(line))) + "\n";  // blocks in lists are indented
    }
  }
  return blocks;
}

bool is_python(const Block& block) {
  const std::string language = oracle::lowered(block.language.substr(0, block.language.find_first_of(" {")));
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

std::string plain_source(const std::string& text) {
  const bool session = text.starts_with(">>> ") || text.find("\n>>> ") != std::string::npos;
  std::string result;
  for (auto line : reply_lines(text)) {
    if (session && (line.starts_with(">>> ") || line.starts_with("... "))) {
      line.erase(0, 4);
    } else if (session && (line == ">>>" || line == "...")) {
      line.clear();
    }
    result += line + "\n";
  }
  return with_plain_characters(result);
}

}  // namespace parityd::agent
