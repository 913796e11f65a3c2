// What happened in a simulation, a line each: two runs with one seed have the same bytes. One thread.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "executor/process/interest.h"

namespace parityd::simulation {

class Trace {
 public:
  explicit Trace(executor::TimePoint begin) : begin_(begin) {}

  template <typename... Values>
  void note(executor::TimePoint at, fmt::format_string<Values...> form, Values&&... values) {
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(at - begin_).count();
    text_ +=
        fmt::format("{}.{:03} {}\n", passed / 1000, passed % 1000, fmt::format(form, std::forward<Values>(values)...));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  executor::TimePoint begin_;
  std::string text_;
};

}  // namespace parityd::simulation
