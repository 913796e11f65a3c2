// Sanitises text of programs, models and messages for terminals, Markdown and GitHub. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::store {

/// Valid UTF-8 without control characters (newline and tab stay; \r\n becomes \n) and without the invisible characters
/// that reorder or hide text. Invalid parts become U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

/// clean_text() on one line: runs of white space become one space.
[[nodiscard]] std::string clean_line(std::string_view text);

/// At most `limit` characters of a clean text, cut between characters; … replaces the rest.
[[nodiscard]] std::string shortened(std::string_view clean, std::size_t limit);
[[nodiscard]] std::size_t characters(std::string_view clean);

/// A letter, a digit or an underscore of ASCII: the characters of names.
[[nodiscard]] bool in_name(char character);

/// A fenced block that no text inside can end. Ends with a newline.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

struct Line {
  std::size_t at = 0;  // its first character in the text
  std::string_view text;
};
/// The lines of a Markdown text that are not in a fenced block. Fences are those of fenced(): they begin in the first
/// column, and a block ends with the fence that began it.
[[nodiscard]] std::vector<Line> lines_outside_fences(std::string_view markdown);

/// Inline code, also safe in a table cell.
[[nodiscard]] std::string inline_code(std::string_view text);

/// In double quotes, with those inside doubled, as both SQLite's full text and CSV require.
[[nodiscard]] std::string double_quoted(std::string_view text);

/// A sentence as Markdown prose, with nothing that acts as markup, HTML, mention, issue reference or link.
[[nodiscard]] std::string prose(std::string_view text);

/// One line without Markdown, mention or reference: for titles, which GitHub shows unmodified.
[[nodiscard]] std::string title_line(std::string_view text, std::size_t limit);

}  // namespace parityd::store
