// Which function each line of a Python file belongs to, by indentation. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

inline constexpr std::string_view kModuleScope = "<module>";

struct PythonScope {
  /// "cat", "Pointwise.make_loader", a class for lines between its methods, kModuleScope. Functions within a function
  /// belong to it.
  std::string name;
  std::string decorators;  // their text
};

/// A function or a class, also within a function. Lines are counted from 0.
struct PythonDefinition {
  std::string name;                 // "solve_min_cut.get_node_weight"
  std::size_t first = 0, last = 0;  // from its first decorator to its last line of code
};

class PythonScopes {
 public:
  /// Knows brackets, strings and line continuations, so that text and signatures that begin in the first column do not
  /// end a function. Any text is accepted; of one that is not Python the result means nothing.
  explicit PythonScopes(std::string_view text);

  /// `line`: counted from 0. Decorators belong to their function. nullptr: a blank line or a comment.
  [[nodiscard]] const PythonScope* of(std::size_t line) const;
  /// In the order in which they begin.
  [[nodiscard]] const std::vector<PythonDefinition>& definitions() const { return definitions_; }

 private:
  std::vector<PythonScope> scopes_;
  std::vector<std::optional<std::size_t>> of_line_;
  std::vector<PythonDefinition> definitions_;
};

}  // namespace parityd::agent
