// Source text of the compiler for prompts: with line numbers, or as a comparison of old and new. Pure; any thread.
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
  std::vector<std::string> registers;  // how it is registered with the compiler, if that is done elsewhere
  std::string text;
  std::string before;  // the old text of a changed function; empty: it is new
};

/// One code fence per file with its functions: lines numbered, at most `cap` characters of each function.
[[nodiscard]] std::string numbered(const std::vector<SourceText>& units, std::size_t cap);

/// The same with removed and added lines.
[[nodiscard]] std::string compared(const std::vector<SourceText>& units, std::size_t cap);

// Line-by-line difference of two texts. Pure; any thread.

struct DifferenceLine {
  enum class Kind { kept, gone, added };
  Kind kind = Kind::kept;
  std::string text;
  bool operator==(const DifferenceLine&) const = default;
};

/// The lines of both texts with as few removed and added lines as possible. Texts with almost nothing in common are not
/// searched: all old lines are removed, all new ones added.
[[nodiscard]] std::vector<DifferenceLine> difference(std::string_view before, std::string_view now);

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

}  // namespace parityd::prompts
