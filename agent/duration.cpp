#include "agent/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

namespace parityd::agent {

std::optional<std::chrono::milliseconds> parse_duration(const std::string& text) {
  constexpr double kLongest = 100 * 365.0 * 86'400;
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, seconds] : kUnits) {
    const double span = number * seconds;
    if (unit == name && span > 0 && span <= kLongest) {  // also false for NaN
      return std::chrono::milliseconds(static_cast<std::int64_t>(span * 1000));
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_since(const std::string& text, std::int64_t now) {
  if (const auto span = parse_duration(text)) return std::max<std::int64_t>(0, now - span->count());
  int year = 0;
  unsigned month = 0, day = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) != 3 ||
      used != static_cast<int>(text.size())) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::milliseconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

}  // namespace parityd::agent
