// The parts of a reply's text: its lines, its fenced blocks, and which of them are programs. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

struct Block {
  std::string language;
  std::string text;
  bool closed = false;
  std::size_t begin = 0, end = 0;  // lines of the reply, fences included; `end` is one past the last
};

[[nodiscard]] std::vector<std::string> reply_lines(std::string_view text);

/// The text without thinking sections: a closed section is cut out, an unclosed one hides everything after it, a lone
/// end tag everything before it. Tags count only at the border of a line: a program may contain one in a string.
[[nodiscard]] std::string without_thinking(std::string_view text);

[[nodiscard]] std::vector<Block> fenced_blocks(const std::vector<std::string>& lines);

[[nodiscard]] bool is_python(const Block& block);
[[nodiscard]] bool has_module(const std::string& text);
[[nodiscard]] bool has_inputs(const std::string& text);

/// The source without the prompts of an interactive session, and with look-alike characters replaced by Python's.
[[nodiscard]] std::string plain_source(const std::string& text);

}  // namespace parityd::agent
