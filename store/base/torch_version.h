// The order of torch's versions: 2.9.1 before 2.13.0, a nightly or candidate before its release. Pure; any thread.
#pragma once

#include <compare>
#include <string_view>

namespace parityd::store {

/// Of "2.13.0+cpu", "2.15.0.dev20260301", "2.14.0rc2". What follows a + does not count: it says how it was built.
[[nodiscard]] std::strong_ordering compare_torch(std::string_view left, std::string_view right);

}  // namespace parityd::store
