// Identifiers of rows, and times: Unix milliseconds.
#pragma once

#include <cstdint>

namespace parityd::store {

using Id = std::int64_t;
using Millis = std::int64_t;
inline constexpr Millis kHour = 3'600'000;
inline constexpr Millis kDay = 24 * kHour;

}  // namespace parityd::store
