// What tests ask about texts.
#pragma once

#include <string>

namespace parityd::tests {

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace parityd::tests
