// Names of an enumeration whose values count from zero: one array serves both directions. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace parityd::oracle {

template <typename Enum, std::size_t Count>
[[nodiscard]] constexpr std::string_view name_in(const std::array<std::string_view, Count>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <typename Enum, std::size_t Count>
[[nodiscard]] constexpr std::optional<Enum> value_in(const std::array<std::string_view, Count>& names,
                                                     std::string_view name) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace parityd::oracle
