// Text for terminals: tables of at most 100 columns, colour only where asked for, nothing that steers the terminal.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// Text from programs, models and messages as it may be printed: control characters other than newline and tab,
/// bidirectional overrides and broken UTF-8 are replaced.
[[nodiscard]] std::string printable(std::string_view text);

/// printable(), on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

enum class Colour { none, bold, dim, red, green, yellow };
/// `text` in that colour; unchanged when `enabled` is false.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, bool enabled);

class Table {
 public:
  static constexpr std::size_t kWidth = 100;

  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// One cell a heading; cells are made printable.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns as wide as they need; the last one is cut (with …) so that no line is longer than kWidth.
  [[nodiscard]] std::string text(bool colour) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace parityd::agent
