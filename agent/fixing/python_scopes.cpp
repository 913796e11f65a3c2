#include "agent/fixing/python_scopes.h"

#include <algorithm>

#include "agent/fixing/line_diff.h"
#include "agent/fixing/python_continuation.h"
#include "oracle/rules/message.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

/// A `def` or a `class` around the current line.
struct Around {
  std::size_t indent = 0, scope = 0;
  bool function = false;
  std::size_t definition = 0;
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
  PythonContinuation continuation;
  bool in_decorator = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto bare = oracle::trimmed(lines[at]);
    const bool begins = !continuation.open();
    continuation.read(lines[at]);
    if (!begins) {
      of_line_.push_back(of_line_.back());
      for (const Around& each : around) definitions_[each.definition].last = at;
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
      const std::string own_name = name;
      std::size_t scope = owner != nullptr ? owner->scope : 0;
      if (!name.empty()) {
        if (owner == nullptr || !owner->function) {
          if (owner != nullptr) name.insert(0, scopes_[scope].name + ".");
          scope = scopes_.size();
          scopes_.push_back({.name = name, .decorators = decorators});
        }
        const std::string within = owner != nullptr ? definitions_[owner->definition].name + "." : "";
        definitions_.push_back({.name = within + own_name, .first = decorated.empty() ? at : decorated.front()});
        around.push_back({.indent = indent,
                          .scope = scope,
                          .function = function || (owner && owner->function),
                          .definition = definitions_.size() - 1});
        for (const auto line : decorated) of_line_[line] = scope;
      }
      if (!in_decorator) {
        decorated.clear();
        decorators.clear();
      }
      of_line_.emplace_back(scope);
      for (const Around& each : around) definitions_[each.definition].last = at;
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
