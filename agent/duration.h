// Parses spans of time as people write them on a command line. Pure; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace parityd::agent {

/// "90s", "10m", "2h", "7d"; a bare number means seconds. Nullopt for other text and for spans that are not positive or
/// are longer than a hundred years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);

/// The moment meant by "since": a span before `now` ("12h", "7d") or the start of a day ("2026-03-02", UTC). In
/// milliseconds since 1970.
[[nodiscard]] std::optional<std::int64_t> parse_since(const std::string& text, std::int64_t now);

}  // namespace parityd::agent
