#include "agent/fixing/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "agent/fixing/line_diff.h"

namespace parityd::agent {
namespace {

constexpr int kBeginning = 15;  // lines: the signature, mostly
constexpr int kAround = 20;     // lines

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Marks the lines around "1724-1725", counted from the text's first line.
void mark(std::vector<bool>& kept, std::string_view range, int first_line) {
  range.remove_prefix(std::min(range.find_first_not_of(' '), range.size()));
  const auto dash = range.find('-');
  const int begin = number_in(range.substr(0, dash)) - first_line;
  const int end = dash == std::string_view::npos ? begin : number_in(range.substr(dash + 1)) - first_line;
  for (int line = std::max(begin - kAround, 0); line <= end + kAround && line < static_cast<int>(kept.size()); ++line) {
    kept[static_cast<std::size_t>(line)] = true;
  }
}

}  // namespace

std::string excerpt_of(std::string_view text, int first_line, std::string_view own_lines) {
  const auto lines = lines_of(text);
  if (static_cast<int>(lines.size()) <= kLongFunction || own_lines.empty()) return std::string(text);
  std::vector<bool> kept(lines.size());
  std::fill_n(kept.begin(), kBeginning, true);
  while (!own_lines.empty()) {
    const auto comma = own_lines.find(',');
    mark(kept, own_lines.substr(0, comma), first_line);
    own_lines.remove_prefix(comma == std::string_view::npos ? own_lines.size() : comma + 1);
  }
  std::string shown;
  for (std::size_t at = 0; at < lines.size();) {
    if (kept[at]) {
      shown += lines[at++];
      continue;
    }
    const auto next = static_cast<std::size_t>(
        std::find(kept.begin() + static_cast<std::ptrdiff_t>(at), kept.end(), true) - kept.begin());
    shown += fmt::format("# … lines {} to {} are not shown\n", first_line + static_cast<int>(at),
                         first_line + static_cast<int>(next) - 1);
    at = next;
  }
  return shown;
}

}  // namespace parityd::agent
