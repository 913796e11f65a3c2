// SHA-256 (FIPS 180-4), by which files of an installed torch are named. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::agent {

/// 64 hex digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace parityd::agent
