// Text of prompts: data made harmless, templates filled in. Pure; any thread.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>

namespace parityd::prompts {

/// Data from programs and errors: no control characters but newline and tab, at most `cap` bytes, then "[cut]".
[[nodiscard]] std::string plain(std::string_view text, std::size_t cap);

/// The same on one line.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t cap);

/// A longer text's first and last whole lines, "[cut]" between them: at most `cap` bytes of it.
[[nodiscard]] std::string ends(std::string_view text, std::size_t cap);

/// Longer than any run of backticks inside, so that data cannot end its own fence.
[[nodiscard]] std::string fence_for(std::string_view text);

/// A template filled in, nothing escaped: prompts are not HTML.
[[nodiscard]] std::string fill(const std::string& text, const kainjow::mustache::data& data);

[[nodiscard]] kainjow::mustache::data shown(bool condition);

/// Where a section was left out several empty lines follow each other: one stays. None stands at the end.
[[nodiscard]] std::string without_gaps(const std::string& text);

}  // namespace parityd::prompts
