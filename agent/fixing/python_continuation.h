// Whether a line of Python continues the statement of the line before it. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parityd::agent {

class PythonContinuation {
 public:
  /// The next line is in brackets, in a string of three quotes, or follows a backslash.
  [[nodiscard]] bool open() const { return depth_ > 0 || !quotes_.empty() || escaped_; }
  void read(std::string_view line);

 private:
  std::size_t read_code(std::string_view line, std::size_t at);
  std::size_t read_string(std::string_view line, std::size_t at);

  int depth_ = 0;
  bool escaped_ = false;
  std::string quotes_;
};

}  // namespace parityd::agent
