// Source text of a compiler as a prompt shows it: with line numbers, or the new beside the old. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

// Two texts beside each other, line by line. Pure; any thread.

struct DifferenceLine {
  enum class Kind { kept, gone, added };
  Kind kind = Kind::kept;
  std::string text;
  bool operator==(const DifferenceLine&) const = default;
};

/// The lines of both, as few of them gone and added as there can be. Texts that have almost nothing in common are not
/// searched for it: then all of the old is gone and all of the new is added.
[[nodiscard]] std::vector<DifferenceLine> difference(std::string_view before, std::string_view now);

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

}  // namespace parityd::prompts
