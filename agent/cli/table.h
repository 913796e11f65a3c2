// Text for terminals: tables that fit the screen, colour only on request, no control sequences from data. Also rows for
// spreadsheets. Pure; any thread.
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

/// Makes text from programs, models and messages safe to print: replaces control characters other than newline and tab,
/// bidirectional overrides and broken UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

/// printable(), on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

enum class Colour { none, bold, dim, red, green, yellow };
/// `text` in that colour; unchanged when `enabled` is false.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, bool enabled);

/// Wraps text at blanks to fit the screen. All lines but the first begin with `indent` blanks, and the first is assumed
/// to start at that column. Words longer than a line are not broken.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, const Screen& screen);

/// Converts values to cells of tables and CSV; an enumerator becomes its name.
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

/// One record with its line end, as in RFC 4180. Cells are quoted if necessary and contain one line of printable text;
/// a cell that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
[[nodiscard]] std::string csv_record(const std::vector<std::string>& cells);

class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// These columns contain numbers: they are right-aligned with their heading and never cut.
  void align_right(const std::vector<std::size_t>& columns) { right_ = columns; }
  /// Adds a row with one cell per heading; cells are made printable.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns are as wide as necessary. If the screen is narrower, the widest texts are cut (with …); if nothing
  /// readable would remain, each row becomes several lines, one per column: `heading  cell`.
  [[nodiscard]] std::string text(const Screen& screen) const;

 private:
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  /// Empty: too few columns for a table.
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t columns) const;
  [[nodiscard]] std::string as_records(const Screen& screen) const;
  [[nodiscard]] bool is_right(std::size_t column) const { return std::ranges::find(right_, column) != right_.end(); }

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
};

}  // namespace parityd::agent
