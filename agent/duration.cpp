#include "agent/duration.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace parityd::agent {

std::optional<std::chrono::milliseconds> parse_duration(const std::string& text) {
  constexpr double kLongest = 100 * 365.0 * 86'400;
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, seconds] : kUnits) {
    const double span = number * seconds;
    if (unit == name && span > 0 && span <= kLongest) {  // NaN fails too
      return std::chrono::milliseconds(static_cast<std::int64_t>(span * 1000));
    }
  }
  return std::nullopt;
}

}  // namespace parityd::agent
