// Reads JSON from servers, in which any field may be absent, null or of another type. Pure; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace parityd::agent {

/// Parses a body. A discarded value if it is not JSON or is nested deeper than any API's answer.
[[nodiscard]] nlohmann::json parse_body(std::string_view text);

/// A field of an object; null if it is absent: servers omit fields or set them to null at will.
[[nodiscard]] const nlohmann::json& field(const nlohmann::json& object, const char* key);

/// A string unchanged, a number as written, else an empty string.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

/// A count of tokens; 0 for a value that no model could have read or written.
[[nodiscard]] std::int64_t count_of(const nlohmann::json& value);

/// The text for logs, tables and terminals: at most 300 bytes, printable, valid UTF-8 whatever the server sent.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace parityd::agent
