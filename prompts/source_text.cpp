#include "prompts/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "prompts/difference.h"
#include "prompts/text.h"

namespace parityd::prompts {
namespace {

using Kind = DifferenceLine::Kind;

constexpr std::size_t kAround = 40;  // lines that are kept, beside a change

/// "Layout" of "Layout.stride"; empty: no method.
std::string class_of(const std::string& name) {
  const bool method = name.find('(') == std::string::npos && name.find('.') != std::string::npos;
  return method ? name.substr(0, name.rfind('.')) : "";
}

/// What the text does not say itself: whose method it is, what registers it by a call elsewhere.
std::string remarks(const SourceText& unit, std::string& owner) {
  std::string text;
  if (const std::string own = class_of(unit.name); own != std::exchange(owner, own) && !own.empty()) {
    text += fmt::format("# class {}\n", own);
  }
  for (const std::string& call : unit.registers) {
    if (unit.text.find(call) == std::string::npos) text += fmt::format("# {}\n", one_line(call, 200));
  }
  return text;
}

std::string numbered_text(const SourceText& unit) {
  std::string text;
  int number = unit.first_line;
  for (const std::string& line : lines_of(unit.text)) text += fmt::format("{:>5}  {}\n", number++, line);
  return text;
}

/// Whether a change stands so near.
std::vector<bool> near_changes(const std::vector<DifferenceLine>& lines) {
  std::vector<bool> near(lines.size(), false);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at].kind == Kind::kept) continue;
    const std::size_t from = at < kAround ? 0 : at - kAround;
    for (std::size_t each = from; each < std::min(lines.size(), at + kAround + 1); ++each) near[each] = true;
  }
  return near;
}

std::string compared_text(const SourceText& unit) {
  const auto lines = difference(unit.before, unit.text);
  const auto near = near_changes(lines);
  std::string text;
  int number = unit.first_line;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const bool gone = lines[at].kind == Kind::gone;
    if (near[at]) {
      text += fmt::format("{:>5} {}{}\n", gone ? "" : std::to_string(number),
                          gone                            ? "-"
                          : lines[at].kind == Kind::added ? "+"
                                                          : " ",
                          lines[at].text);
    } else if (at == 0 || near[at - 1]) {
      text += "      …\n";
    }
    number += gone ? 0 : 1;
  }
  return text;
}

std::string fenced(const std::vector<SourceText>& units, std::size_t cap,
                   const std::function<std::string(const SourceText&)>& shown_text) {
  std::string all;
  for (std::size_t at = 0; at < units.size();) {
    const std::string& file = units[at].file;
    std::string text;
    std::string owner;
    for (; at < units.size() && units[at].file == file; ++at) {
      const std::string shown_unit = shown_text(units[at]);
      const bool cut = shown_unit.size() > cap;
      text += fmt::format("{}{}{}{}", text.empty() ? "" : "\n", remarks(units[at], owner), plain(shown_unit, cap),
                          cut ? " The rest of this function was left out for its length.\n" : "");
    }
    const std::string fence = fence_for(text);
    all += fmt::format("{}torch/{}\n\n{}\n{}{}", all.empty() ? "" : "\n\n", file, fence, text, fence);
  }
  return all;
}

}  // namespace

std::string numbered(const std::vector<SourceText>& units, std::size_t cap) {
  return fenced(units, cap, numbered_text);
}

std::string compared(const std::vector<SourceText>& units, std::size_t cap) {
  return fenced(units, cap, compared_text);
}

}  // namespace parityd::prompts
