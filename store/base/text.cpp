#include "store/base/text.h"

#include <algorithm>
#include <cctype>

namespace parityd::store {
namespace {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view kZeroWidthSpace = "\xe2\x80\x8b";        // invisibly breaks what GitHub would link
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

struct Character {
  char32_t value = 0;
  std::size_t size = 0;  // bytes; 0: not valid UTF-8
};

unsigned char byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }

std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

Character character_at(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const std::size_t size = length_of(first);
  if (size == 0 || at + size > text.size()) return {};
  if (size == 1) return {first, 1};
  char32_t value = first & (0x7FU >> size);
  for (std::size_t index = 1; index < size; ++index) {
    const unsigned char next = byte_at(text, at + index);
    if ((next & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool too_long = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return too_long || surrogate || value > 0x10FFFF ? Character{} : Character{value, size};
}

/// Control characters, and invisible ones that reorder, join or hide the text around them.
bool is_harmful(char32_t value) {
  const bool control = (value < 0x20 && value != '\n' && value != '\t') || (value >= 0x7F && value < 0xA0);
  const bool invisible = (value >= 0x200C && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
                         (value >= 0x2060 && value <= 0x206F) || value == 0xFEFF || value == 0x061C ||
                         (value >= 0xE0000 && value <= 0xE007F);
  return control || invisible;
}

bool is_word(char character) { return std::isalnum(static_cast<unsigned char>(character)) != 0; }

bool starts_reference(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("@") || rest.starts_with("#") || rest.starts_with("://")) return true;
  const bool word_start = at == 0 || !is_word(text[at - 1]);
  const auto lowered = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto begins = [&](std::string_view word) {
    return rest.size() >= word.size() && std::equal(word.begin(), word.end(), rest.begin(),
                                                    [&](char wanted, char found) { return lowered(found, wanted); });
  };
  return word_start && (begins("gh-") || begins("www."));
}

/// The text with an invisible break inside everything that GitHub would turn into a link or a notification.
std::string without_references(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!starts_reference(text, at)) {
      result += text[at];
      continue;
    }
    const bool word = is_word(text[at]);  // gh-123, www.host: break before the sign
    const std::size_t size = word ? text.find_first_of("-.", at) - at : 1;
    result += text.substr(at, size);
    result += kZeroWidthSpace;
    at += size - 1;
  }
  return result;
}

}  // namespace

bool in_name(char character) { return is_word(character) || character == '_'; }

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto size = character_at(text, at).size;
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string clean_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
      continue;
    }
    if (character.size == 0 || is_harmful(character.value)) {
      result += kReplacementCharacter;
      at += std::max<std::size_t>(character.size, 1);
      continue;
    }
    result += text.substr(at, character.size);
    at += character.size;
  }
  return result;
}

std::string clean_line(std::string_view text) {
  std::string result;
  for (const char character : clean_text(text)) {
    const bool blank = character == ' ' || character == '\n' || character == '\t';
    if (!blank) {
      result += character;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

std::size_t characters(std::string_view clean) {
  return static_cast<std::size_t>(std::count_if(
      clean.begin(), clean.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view clean, std::size_t limit) {
  if (characters(clean) <= limit) return std::string(clean);
  std::size_t at = 0;
  for (std::size_t count = 0; count + 1 < limit && at < clean.size(); ++count) {
    at += std::max<std::size_t>(length_of(byte_at(clean, at)), 1);
  }
  return std::string(clean.substr(0, at)) + std::string(kEllipsis);
}

std::string fenced(std::string_view text, std::string_view language) {
  std::string clean = clean_text(text);
  std::size_t longest = 2;
  for (std::size_t at = 0, run = 0; at < clean.size(); ++at) {
    run = clean[at] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  if (!clean.ends_with('\n')) clean += '\n';
  return fence + std::string(language) + "\n" + clean + fence + "\n";
}

std::vector<Line> lines_outside_fences(std::string_view markdown) {
  std::vector<Line> lines;
  std::string_view fence;
  for (std::size_t at = 0, end = 0; at < markdown.size(); at = end + 1) {
    end = std::min(markdown.find('\n', at), markdown.size());
    const std::string_view line = markdown.substr(at, end - at);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (line == fence) fence = {};
    } else if (ticks >= 3) {
      fence = line.substr(0, ticks);
    } else {
      lines.push_back({.at = at, .text = line});
    }
  }
  return lines;
}

std::string inline_code(std::string_view text) {
  std::string inside;
  for (const char character : clean_line(text)) {
    if (character == '|') {
      inside += "\\|";  // would end a table cell even within code
    } else {
      inside += character == '`' ? '\'' : character;
    }
  }
  return inside.empty() ? "" : "`" + inside + "`";
}

std::string double_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    result += character;
    if (character == '"') result += character;
  }
  return result + "\"";
}

std::string prose(std::string_view text) {
  std::string escaped;
  for (const char character : clean_line(text)) {
    if (std::string_view("\\`*_{}[]<>|~!&").find(character) != std::string_view::npos) escaped += '\\';
    escaped += character;
  }
  return without_references(escaped);
}

std::string title_line(std::string_view text, std::size_t limit) {
  std::string result;
  for (const char character : clean_line(text)) {
    if (character != '`') result += character;
  }
  return shortened(without_references(result), limit);
}

}  // namespace parityd::store
