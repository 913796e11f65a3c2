// Converts enumerations to text and back, by a list of names beside each enumeration. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace parityd::oracle {

/// An enumeration whose values count from zero, with `constexpr auto names(Enum)` beside it: an array of
/// std::string_view that holds the name of each value, in order.
template <typename Enum>
concept Named = std::is_enum_v<Enum> && requires(Enum value) {
  names(value).size();
};

template <Named Enum>
[[nodiscard]] constexpr std::string_view name(Enum value) {
  return names(value).at(static_cast<std::size_t>(value));
}

/// nullopt if no value has this name.
template <Named Enum>
[[nodiscard]] constexpr std::optional<Enum> from_name(std::string_view text) {
  const auto& all = names(Enum{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace parityd::oracle
