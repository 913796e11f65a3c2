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

class PythonScopes {
 public:
  /// Knows brackets, strings and line continuations, so that text and signatures that begin in the first column do not
  /// end a function. Any text is accepted; of one that is not Python the result means nothing.
  explicit PythonScopes(std::string_view text);

  /// `line`: counted from 0. Decorators belong to their function. nullptr: a blank line or a comment.
  [[nodiscard]] const PythonScope* of(std::size_t line) const;

 private:
  std::vector<PythonScope> scopes_;
  std::vector<std::optional<std::size_t>> of_line_;
};

}  // namespace parityd::agent
