#include "prompts/text.h"

#include <algorithm>

namespace parityd::prompts {
namespace {

/// The first `cap` bytes at most, not ending inside a character.
std::string_view head(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return text;
  while (cap > 0 && (static_cast<unsigned char>(text[cap]) & 0xC0U) == 0x80U) --cap;
  return text.substr(0, cap);
}

}  // namespace

std::string plain(std::string_view text, std::size_t cap) {
  const std::string_view kept = head(text, cap);
  std::string result;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const auto byte = static_cast<unsigned char>(kept[at]);
    const bool second = at + 1 < kept.size() && static_cast<unsigned char>(kept[at + 1]) < 0xA0;
    if (byte == 0xC2 && second) {
      ++at;  // drops control characters that UTF-8 encodes in two bytes
    } else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f)) {
      result += kept[at];
    }
  }
  return text.size() > cap ? result + "\n[cut]" : result;
}

std::string one_line(std::string_view text, std::size_t cap) {
  std::string result = plain(text, cap);
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

std::string ends(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return std::string(text);
  const std::string_view first = text.substr(0, cap / 2);
  const std::string_view last = text.substr(text.size() - cap / 2);
  const auto whole_lines = first.rfind('\n') + 1;  // none: npos + 1
  const auto line = last.find('\n');
  return std::string(first.substr(0, whole_lines)) + "[cut]" +
         std::string(line == std::string_view::npos ? "" : last.substr(line));
}

std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string fill(const std::string& text, const kainjow::mustache::data& data) {
  kainjow::mustache::mustache view(text);
  view.set_custom_escape([](const std::string& value) { return value; });
  return view.render(data);
}

kainjow::mustache::data shown(bool condition) {
  return condition ? kainjow::mustache::data::type::bool_true : kainjow::mustache::data::type::bool_false;
}

std::string without_gaps(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != '\n' || !result.ends_with("\n\n")) result += c;
  }
  return result.substr(0, result.find_last_not_of('\n') + 1);
}

}  // namespace parityd::prompts
