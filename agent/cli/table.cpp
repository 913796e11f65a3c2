#include "agent/cli/table.h"

#include <algorithm>

#include "store/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // what is left of a last column however wide the others are

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::bold:
      return "\x1b[1m";
    case Colour::dim:
      return "\x1b[2m";
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

std::string printable(std::string_view text) { return store::clean_text(text); }
std::string printable_line(std::string_view text) { return store::clean_line(text); }

std::string coloured(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || colour == Colour::none) return std::string(text);
  return std::string(code_of(colour)) + std::string(text) + "\x1b[0m";
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  std::transform(cells.begin(), cells.end(), cells.begin(),
                 [](const std::string& cell) { return printable_line(cell); });
  rows_.push_back(std::move(cells));
}

std::string Table::text(bool colour) const {
  const std::size_t last = headings_.size() - 1;
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < last; ++column) {
    std::size_t width = store::characters(headings_[column]);
    for (const auto& row : rows_) width = std::max(width, store::characters(row[column]));
    const std::size_t share = (kWidth - kNarrowest) / headings_.size();
    widths.push_back(std::min(width, std::max(share, kNarrowest) - kGap));
  }
  std::size_t used = 0;
  for (const std::size_t width : widths) used += width + kGap;
  widths.push_back(kWidth - used);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result;
    for (std::size_t column = 0; column <= last; ++column) {
      const std::string cell = store::shortened(cells[column], widths[column]);
      result += cell;
      if (column < last) result += std::string(widths[column] + kGap - store::characters(cell), ' ');
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  };
  std::string result = coloured(line(headings_), Colour::bold, colour) + "\n";
  for (const auto& row : rows_) result += line(row) + "\n";
  return result;
}

}  // namespace parityd::agent
