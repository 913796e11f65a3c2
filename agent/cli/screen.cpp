#include "agent/cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace parityd::agent {
namespace {

constexpr std::size_t kTerminalColumns = 80;
constexpr std::size_t kFewest = 20;  // fewer would be unreadable

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// The value of COLUMNS; 0: none.
std::size_t columns_asked_for() {
  const std::string_view text = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool whole = error == std::errc() && end == text.data() + text.size() && columns < 10'000;
  return whole && columns > 0 ? std::max(columns, kFewest) : 0;
}

}  // namespace

Screen standard_screen() {
  Screen screen{.terminal = false, .colour = false, .columns = columns_asked_for()};
  if (isatty(STDOUT_FILENO) == 0) return screen;
  const auto term = environment("TERM");
  screen.terminal = !term.empty() && term != "dumb";
  screen.colour = screen.terminal && environment("NO_COLOR").empty();
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (known && size.ws_row > 0) screen.rows = size.ws_row;
  if (known && size.ws_col > 0) {
    screen.columns = std::max<std::size_t>(size.ws_col, kFewest);
  } else if (screen.columns == 0) {
    screen.columns = kTerminalColumns;
  }
  return screen;
}

}  // namespace parityd::agent
