// Changes that know what they change: lines of a text, values in JSON, an HTTP answer whose length stays right. What is
// damaged so is still understood and goes deep. The same on every machine for the same random numbers. Any thread.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace parityd::fuzz {

enum class Shape {
  lines,   // Markdown, TOML: lines and the values after their = or :
  json,    // a JSON value, or one on each line
  answer,  // an HTTP answer: head, empty line, body, which is JSON or lines
};

/// One change to `text`; lines and values come from `other` too.
[[nodiscard]] std::string reshaped(Shape shape, std::string_view text, std::string_view other, std::mt19937& random);

}  // namespace parityd::fuzz
