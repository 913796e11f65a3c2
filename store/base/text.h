// Text of programs, models and messages, made harmless: for terminals, Markdown and GitHub. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parityd::store {

/// Valid UTF-8 without control characters (newline and tab stay; \r\n becomes \n) and without the invisible characters
/// that reorder or hide text. What was wrong becomes U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);

/// clean_text() on one line: runs of white space become one blank.
[[nodiscard]] std::string clean_line(std::string_view text);

/// At most `limit` characters of a clean text, cut at a character's border; … stands for the rest.
[[nodiscard]] std::string shortened(std::string_view clean, std::size_t limit);
[[nodiscard]] std::size_t characters(std::string_view clean);

/// A letter, a digit or an underscore of ASCII: what names are made of.
[[nodiscard]] bool in_name(char character);

/// A fenced block that nothing inside can end. Ends with a newline.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

/// Inline code, fit for a table cell too.
[[nodiscard]] std::string inline_code(std::string_view text);

/// Between double quotes, those inside doubled: what SQLite's full text and CSV both want.
[[nodiscard]] std::string double_quoted(std::string_view text);

/// A sentence as Markdown prose: no markup, no HTML, no mention, no issue reference, no link.
[[nodiscard]] std::string prose(std::string_view text);

/// One line without Markdown, mention or reference: for titles, which GitHub shows as they are.
[[nodiscard]] std::string title_line(std::string_view text, std::size_t limit);

}  // namespace parityd::store
