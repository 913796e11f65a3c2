// The difference between two texts by lines, and the unified diff of two versions of a file. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// Views of the lines, each with its "\n"; the last one may have none. Concatenated, they are the text.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// Adjacent lines that were replaced. Counted from 0; a count of 0: lines were only added, or only removed.
struct Hunk {
  std::size_t before = 0, before_count = 0;
  std::size_t after = 0, after_count = 0;
};

/// In order; unchanged lines lie between two hunks. The fewest lines (Myers), except for texts that differ in thousands
/// of lines: there, one hunk from the first difference to the last.
[[nodiscard]] std::vector<Hunk> line_diff(const std::vector<std::string_view>& before,
                                          const std::vector<std::string_view>& after);

/// As `git apply` and `patch -p1` read it, with three lines of context. Empty if the texts are equal.
[[nodiscard]] std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace parityd::agent
