#include "agent/fixing/python_scopes.h"

#include <algorithm>

#include "agent/fixing/line_diff.h"
#include "oracle/rules/message.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

/// Whether the next line continues a statement: in brackets, in a string of three quotes, after a backslash.
class Continuation {
 public:
  [[nodiscard]] bool open() const { return depth_ > 0 || !quotes_.empty() || escaped_; }

  void read(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    escaped_ = false;
    std::size_t at = 0;
    while (at < line.size()) at = quotes_.empty() ? read_code(line, at) : read_string(line, at);
    if (quotes_.size() == 1 && !escaped_) quotes_ = {};  // not closed: not Python
  }

 private:
  std::size_t read_code(std::string_view line, std::size_t at) {
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

  std::size_t read_string(std::string_view line, std::size_t at) {
    if (line[at] == '\\') {
      escaped_ = at + 1 == line.size();
      return at + 2;
    }
    if (!line.substr(at).starts_with(quotes_)) return at + 1;
    const auto size = quotes_.size();
    quotes_ = {};
    return at + size;
  }

  int depth_ = 0;
  bool escaped_ = false;
  std::string quotes_;
};

/// A `def` or a `class` around the current line.
struct Around {
  std::size_t indent = 0, scope = 0;
  bool function = false;
};

/// The name behind `keyword`; empty if the line is no such statement.
std::string defined_name(std::string_view line, std::string_view keyword) {
  if (!line.starts_with(keyword)) return "";
  line = oracle::trimmed(line.substr(keyword.size()));
  return std::string(line.begin(), std::ranges::find_if_not(line, store::in_name));
}

}  // namespace

PythonScopes::PythonScopes(std::string_view text) : scopes_{{.name = std::string(kModuleScope), .decorators = {}}} {
  const auto lines = lines_of(text);
  std::vector<Around> around;
  std::vector<std::size_t> decorated;  // lines of decorators whose function is still to come
  std::string decorators;
  Continuation continuation;
  bool in_decorator = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto bare = oracle::trimmed(lines[at]);
    const bool begins = !continuation.open();
    continuation.read(lines[at]);
    if (!begins) {
      of_line_.push_back(of_line_.back());
    } else if (bare.empty() || bare.starts_with('#')) {
      of_line_.emplace_back();
      continue;
    } else {
      in_decorator = bare.starts_with('@');
      const auto indent = static_cast<std::size_t>(bare.data() - lines[at].data());
      while (!around.empty() && around.back().indent >= indent) around.pop_back();
      const Around* const owner = around.empty() ? nullptr : &around.back();
      std::string name = defined_name(bare.starts_with("async ") ? bare.substr(6) : bare, "def ");
      const bool function = !name.empty();
      if (!function) name = defined_name(bare, "class ");
      std::size_t scope = owner != nullptr ? owner->scope : 0;
      if (!name.empty()) {
        if (owner == nullptr || !owner->function) {
          if (owner != nullptr) name.insert(0, scopes_[scope].name + ".");
          scope = scopes_.size();
          scopes_.push_back({.name = name, .decorators = decorators});
        }
        around.push_back({.indent = indent, .scope = scope, .function = function || (owner && owner->function)});
        for (const auto line : decorated) of_line_[line] = scope;
      }
      if (!in_decorator) {
        decorated.clear();
        decorators.clear();
      }
      of_line_.emplace_back(scope);
    }
    if (in_decorator) {
      decorated.push_back(at);
      decorators += lines[at];
    }
  }
}

const PythonScope* PythonScopes::of(std::size_t line) const {
  return line < of_line_.size() && of_line_[line] ? &scopes_[*of_line_[line]] : nullptr;
}

}  // namespace parityd::agent
