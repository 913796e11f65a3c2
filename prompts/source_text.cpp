#include "prompts/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "prompts/text.h"

namespace parityd::prompts {
namespace {

using Kind = DifferenceLine::Kind;

constexpr std::size_t kAround = 40;  // unchanged lines shown around a change

/// "Layout" of "Layout.stride"; empty: not a method
std::string class_of(const std::string& name) {
  const bool method = name.find('(') == std::string::npos && name.find('.') != std::string::npos;
  return method ? name.substr(0, name.rfind('.')) : "";
}

/// Facts missing from the text: the method's class, and calls elsewhere that register it.
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

/// For each line, whether a change is that near.
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

using Lines = std::span<const std::string>;
using Kind = DifferenceLine::Kind;

constexpr std::size_t kMostCells = 16'000'000;  // cells of the table: 4,000 lines of each text

/// Lengths of the longest common subsequences of all pairs of suffixes, row by row, plus a row and a column of zeros.
std::vector<std::uint16_t> common_lengths(Lines before, Lines now) {
  const std::size_t width = now.size() + 1;
  std::vector<std::uint16_t> lengths((before.size() + 1) * width, 0);
  for (std::size_t row = before.size(); row-- > 0;) {
    for (std::size_t column = now.size(); column-- > 0;) {
      const std::size_t at = row * width + column;
      lengths[at] = before[row] == now[column] ? static_cast<std::uint16_t>(lengths[at + width + 1] + 1)
                                               : std::max(lengths[at + width], lengths[at + 1]);
    }
  }
  return lengths;
}

void append(std::vector<DifferenceLine>& result, Kind kind, Lines lines) {
  for (const std::string& line : lines) result.push_back({kind, line});
}

void append_middle(std::vector<DifferenceLine>& result, Lines before, Lines now) {
  if ((before.size() + 1) * (now.size() + 1) > kMostCells) {
    append(result, Kind::gone, before);
    append(result, Kind::added, now);
    return;
  }
  const auto lengths = common_lengths(before, now);
  const std::size_t width = now.size() + 1;
  std::size_t row = 0;
  std::size_t column = 0;
  while (row < before.size() && column < now.size()) {
    if (before[row] == now[column]) {
      result.push_back({Kind::kept, now[column++]});
      ++row;
    } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) {
      result.push_back({Kind::gone, before[row++]});
    } else {
      result.push_back({Kind::added, now[column++]});
    }
  }
  append(result, Kind::gone, before.subspan(row));
  append(result, Kind::added, now.subspan(column));
}

}  // namespace

std::string numbered(const std::vector<SourceText>& units, std::size_t cap) {
  return fenced(units, cap, numbered_text);
}

std::string compared(const std::vector<SourceText>& units, std::size_t cap) {
  return fenced(units, cap, compared_text);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

std::vector<DifferenceLine> difference(std::string_view before, std::string_view now) {
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(now);
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t first = 0;
  while (first < shorter && old_lines[first] == new_lines[first]) ++first;
  std::size_t last = 0;
  while (last < shorter - first && old_lines.rbegin()[static_cast<std::ptrdiff_t>(last)] ==
                                       new_lines.rbegin()[static_cast<std::ptrdiff_t>(last)]) {
    ++last;
  }
  std::vector<DifferenceLine> result;
  append(result, Kind::kept, Lines(new_lines).first(first));
  append_middle(result, Lines(old_lines).subspan(first, old_lines.size() - first - last),
                Lines(new_lines).subspan(first, new_lines.size() - first - last));
  append(result, Kind::kept, Lines(new_lines).last(last));
  return result;
}

}  // namespace parityd::prompts
