// The part of a long function that matters for a program. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::agent {

/// Functions up to this many lines are shown whole.
inline constexpr int kLongFunction = 150;

/// Of a long function: its first lines, and those around `own_lines` ("1724-1725, 1730", as FiredFunction::own_lines
/// has them); what is left out is named by a comment. `first_line`: the number of the text's first line. The whole text
/// if it is not long or `own_lines` is empty.
[[nodiscard]] std::string excerpt_of(std::string_view text, int first_line, std::string_view own_lines);

}  // namespace parityd::agent
