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
  std::size_t begin = 0, end = 0;  // lines of the reply that it takes, its fences included; `end` is the one after
};

[[nodiscard]] std::vector<std::string> reply_lines(std::string_view text);

/// Thinking is not the answer: a closed block is cut out, an unclosed one hides all after it, a lone end hides all
/// before. A tag counts at the border of a line: a program may hold one in a string.
[[nodiscard]] std::string without_thinking(std::string_view text);

[[nodiscard]] std::vector<Block> fenced_blocks(const std::vector<std::string>& lines);

[[nodiscard]] bool is_python(const Block& block);
[[nodiscard]] bool has_module(const std::string& text);
[[nodiscard]] bool has_inputs(const std::string& text);

/// Without the prompts of an interactive session; what only looks like Python's characters become them.
[[nodiscard]] std::string plain_source(const std::string& text);

}  // namespace parityd::agent
