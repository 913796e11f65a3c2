// Properties of standard output: a terminal of a certain width, or something else. Any thread.
#pragma once

#include <cstddef>

namespace parityd::agent {

struct Screen {
  static constexpr std::size_t kUsual = 100;

  bool terminal = false;         // output can be overwritten
  bool colour = false;           // colour escape sequences are allowed
  std::size_t columns = kUsual;  // maximum width of a table's line; 0: unlimited, nothing is cut
  std::size_t rows = 24;         // of the terminal

  /// Width for sentences, which are wrapped and never cut.
  [[nodiscard]] std::size_t text_columns() const { return columns == 0 ? kUsual : columns; }
};

/// Properties of this process' standard output now. On a terminal: its size, 80 × 24 if it does not report one; colours
/// unless NO_COLOR is set and not empty (no-color.org); with TERM "dumb" or missing, output can be neither overwritten
/// nor coloured. Elsewhere nothing is cut unless COLUMNS is set.
[[nodiscard]] Screen standard_screen();

}  // namespace parityd::agent
