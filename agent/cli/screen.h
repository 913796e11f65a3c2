// Where standard output goes: a terminal of so many columns, or something else. Any thread.
#pragma once

#include <cstddef>

namespace parityd::agent {

struct Screen {
  static constexpr std::size_t kUsual = 100;

  bool terminal = false;         // what was written can be written over
  bool colour = false;           // escape sequences may be written
  std::size_t columns = kUsual;  // a table's line has so many at most; 0: any number, nothing is cut
  std::size_t rows = 24;         // of a terminal

  /// For text in sentences, which is broken and never cut.
  [[nodiscard]] std::size_t text_columns() const { return columns == 0 ? kUsual : columns; }
};

/// Of this process' standard output, as it is now. On a terminal: its size, 80 × 24 where it does not say; colours
/// unless NO_COLOR is set (to anything but nothing, as no-color.org has it); a TERM that is "dumb" or missing is a
/// terminal on which nothing can be written over or coloured. Elsewhere nothing is cut, unless COLUMNS asks for it.
[[nodiscard]] Screen standard_screen();

}  // namespace parityd::agent
