// Head and tail of a text of any length, within a cap. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parityd::executor {

class CapturedText {
 public:
  explicit CapturedText(std::size_t cap) : half_(cap / 2) {}

  void append(std::string_view bytes);
  /// With a line that counts the missing bytes between head and tail when there are any.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t half_;
  std::string head_, tail_;
  std::size_t left_out_ = 0;
};

}  // namespace parityd::executor
