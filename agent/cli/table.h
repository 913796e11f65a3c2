// Text for terminals: tables that fit the screen, colour only where asked for, nothing that steers the terminal. And
// rows for spreadsheets. Pure; any thread.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cli/screen.h"
#include "oracle/names.h"

namespace parityd::agent {

/// Text from programs, models and messages as it may be printed: control characters other than newline and tab,
/// bidirectional overrides and broken UTF-8 are replaced.
[[nodiscard]] std::string printable(std::string_view text);

/// printable(), on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

enum class Colour { none, bold, dim, red, green, yellow };
/// `text` in that colour; unchanged when `enabled` is false.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, bool enabled);

/// Text broken at blanks into lines that fit the screen; all but the first begin with `indent` blanks, and the first is
/// taken to stand behind as many columns. A word that is longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, const Screen& screen);

/// What rows of tables and of CSV are made of: an enumeration is its name.
template <class... Values>
[[nodiscard]] std::vector<std::string> cells(const Values&... values) {
  const auto text = []<class Value>(const Value& value) {
    if constexpr (oracle::Named<Value>) {
      return std::string(oracle::name(value));
    } else {
      return fmt::format("{}", value);
    }
  };
  return {text(values)...};
}

/// One record with its line end, as RFC 4180 has it. Cells are quoted where they must be and hold one line of printable
/// text; a cell that a spreadsheet would take for a formula begins with an apostrophe.
[[nodiscard]] std::string csv_record(const std::vector<std::string>& cells);

class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// These columns hold numbers: they end where their heading ends, and are never cut.
  void align_right(const std::vector<std::size_t>& columns) { right_ = columns; }
  /// One cell a heading; cells are made printable.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns as wide as they need. Where the screen has fewer, the widest texts are cut (with …); where that would
  /// leave nothing to read, each row becomes a few lines, one a column: `heading  cell`.
  [[nodiscard]] std::string text(const Screen& screen) const;

 private:
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  /// Empty: there is not enough to make a table.
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t columns) const;
  [[nodiscard]] std::string as_records(const Screen& screen) const;
  [[nodiscard]] bool is_right(std::size_t column) const { return std::ranges::find(right_, column) != right_.end(); }

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace parityd::agent
