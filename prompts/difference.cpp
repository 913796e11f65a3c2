#include "prompts/difference.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace parityd::prompts {
namespace {

using Lines = std::span<const std::string>;
using Kind = DifferenceLine::Kind;

constexpr std::size_t kMostCells = 16'000'000;  // of the table: 4,000 lines of either text

/// Lengths of the longest common subsequences of each two ends, row by row; one more row and column of zeros.
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
