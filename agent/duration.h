// Spans of time as people write them on a command line. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace parityd::agent {

/// "90s", "10m", "2h", "7d"; a bare number means seconds. Nothing for other text and for spans that are not above zero
/// or longer than a hundred years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);

}  // namespace parityd::agent
