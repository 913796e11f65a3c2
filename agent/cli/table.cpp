#include "agent/cli/table.h"

#include <array>
#include <numeric>
#include <sstream>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // text cut to less is useless

constexpr std::array<std::string_view, 6> kCodes{"", "1", "2", "31", "32", "33"};  // colour codes

std::string csv_cell(const std::string& raw) {
  std::string text = printable_line(raw);
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  return store::double_quoted(text);
}

}  // namespace

std::string printable(std::string_view text) { return store::clean_text(text); }
std::string printable_line(std::string_view text) { return store::clean_line(text); }

std::string coloured(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || colour == Colour::none) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes.at(static_cast<std::size_t>(colour)), text);
}

std::string csv_record(const std::vector<std::string>& cells) {
  std::string record;
  for (std::size_t index = 0; index < cells.size(); ++index) record += (index == 0 ? "" : ",") + csv_cell(cells[index]);
  return record + "\r\n";
}

std::string wrapped(std::string_view text, std::size_t indent, const Screen& screen) {
  std::istringstream words(printable_line(text));
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    const std::size_t width = store::characters(word);
    if (column == indent) {
      column += width;
    } else if (column + 1 + width > screen.text_columns()) {
      result += "\n" + std::string(indent, ' ');
      column = indent + width;
    } else {
      result += ' ';
      column += 1 + width;
    }
    result += word;
  }
  return result;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  std::ranges::transform(cells, cells.begin(), printable_line);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(headings_.size());
  for (std::size_t column = 0; column < headings_.size(); ++column) {
    std::size_t width = store::characters(headings_[column]);
    for (const auto& row : rows_) width = std::max(width, store::characters(row[column]));
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::size_t> Table::widths(std::size_t columns) const {
  std::vector<std::size_t> widths = natural_widths();
  const auto used = [&] { return std::accumulate(widths.begin(), widths.end(), (widths.size() - 1) * kGap); };
  // The widest column shrinks by one until all fit, so short columns keep their width.
  for (std::size_t too_many = columns == 0 || used() <= columns ? 0 : used() - columns; too_many > 0; --too_many) {
    std::size_t widest = widths.size();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool wider = widest == widths.size() || widths[column] >= widths[widest];
      if (!is_right(column) && widths[column] > kNarrowest && wider) widest = column;
    }
    if (widest == widths.size()) return {};
    --widths[widest];
  }
  return widths;
}

std::string Table::as_records(const Screen& screen) const {
  std::size_t label = 0;
  for (const auto& heading : headings_) label = std::max(label, store::characters(heading));
  std::string result;
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const auto& heading = headings_[column];
      const std::string name = heading + std::string(label - store::characters(heading) + kGap, ' ');
      const std::size_t room = std::max(screen.columns, label + kGap + kNarrowest) - label - kGap;
      if (row[column].empty()) continue;
      result += coloured(name, Colour::bold, screen.colour) + store::shortened(row[column], room) + "\n";
    }
    result += &row == &rows_.back() ? "" : "\n";
  }
  return result;
}

std::string Table::text(const Screen& screen) const {
  const std::vector<std::size_t> columns = widths(screen.columns);
  if (columns.empty()) return as_records(screen);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const std::string cell = store::shortened(cells[column], columns[column]);
      const std::string filling(columns[column] - store::characters(cell), ' ');
      result += column > 0 ? std::string(kGap, ' ') : "";
      result += is_right(column) ? filling + cell : cell + filling;
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  };
  std::string result = coloured(line(headings_), Colour::bold, screen.colour) + "\n";
  for (const auto& row : rows_) result += line(row) + "\n";
  return result;
}

}  // namespace parityd::agent
