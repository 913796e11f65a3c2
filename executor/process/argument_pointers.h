// Texts as exec takes them. Any thread.
#pragma once

#include <string>
#include <vector>

namespace parityd::executor {

/// Null-terminated; valid while `texts` are not touched.
[[nodiscard]] inline std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace parityd::executor
