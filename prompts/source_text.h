// Source text of a compiler as a prompt shows it: with line numbers, or the new beside the old. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parityd::prompts {

/// A function of the compiler.
struct SourceText {
  std::string file, name;
  int first_line = 1;
  std::vector<std::string> registers;  // what makes the compiler know it, where that stands elsewhere
  std::string text;
  std::string before;  // as it was: of a change; empty: it is new
};

/// A fence for each file, its functions in it: their lines numbered, at most `cap` characters of each.
[[nodiscard]] std::string numbered(const std::vector<SourceText>& units, std::size_t cap);

/// The same with what is gone and what is new.
[[nodiscard]] std::string compared(const std::vector<SourceText>& units, std::size_t cap);

}  // namespace parityd::prompts
