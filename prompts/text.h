// Text of prompts: sanitises data, fills in templates. Pure; any thread.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>

namespace parityd::prompts {

/// Sanitises data from programs and errors: no control characters except newline and tab, at most `cap` bytes, then
/// "[cut]".
[[nodiscard]] std::string plain(std::string_view text, std::size_t cap);

/// The same on one line.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t cap);

/// Shortens a long text to its first and last whole lines with "[cut]" between them, at most `cap` bytes.
[[nodiscard]] std::string ends(std::string_view text, std::size_t cap);

/// A fence longer than any run of backticks inside, so that data cannot close its own fence.
[[nodiscard]] std::string fence_for(std::string_view text);

/// Fills in a template without escaping: prompts are not HTML.
[[nodiscard]] std::string fill(const std::string& text, const kainjow::mustache::data& data);

[[nodiscard]] kainjow::mustache::data shown(bool condition);

/// Collapses the consecutive empty lines that omitted sections leave into one, and removes those at the end.
[[nodiscard]] std::string without_gaps(const std::string& text);

}  // namespace parityd::prompts
