#include "agent/fixing/python_continuation.h"

#include <algorithm>

namespace parityd::agent {

void PythonContinuation::read(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  escaped_ = false;
  std::size_t at = 0;
  while (at < line.size()) at = quotes_.empty() ? read_code(line, at) : read_string(line, at);
  if (quotes_.size() == 1 && !escaped_) quotes_ = {};  // not closed: not Python
}

std::size_t PythonContinuation::read_code(std::string_view line, std::size_t at) {
  const char character = line[at];
  if (character == '#') return line.size();
  if (character == '\\' && at + 1 == line.size()) escaped_ = true;
  if (std::string_view("([{").find(character) != std::string_view::npos) ++depth_;
  if (std::string_view(")]}").find(character) != std::string_view::npos) depth_ = std::max(0, depth_ - 1);
  if (character != '"' && character != '\'') return at + 1;
  const std::string_view three = line.substr(at, 3);
  quotes_ = three == "\"\"\"" || three == "'''" ? std::string(three) : std::string(1, character);
  return at + quotes_.size();
}

std::size_t PythonContinuation::read_string(std::string_view line, std::size_t at) {
  if (line[at] == '\\') {
    escaped_ = at + 1 == line.size();
    return at + 2;
  }
  if (!line.substr(at).starts_with(quotes_)) return at + 1;
  const auto size = quotes_.size();
  quotes_ = {};
  return at + size;
}

}  // namespace parityd::agent
