// Reading what servers send: JSON in which any field may be absent, null or of another type. Pure; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace parityd::agent {

/// Discarded where it is no JSON, or nested deeper than any API's answer.
[[nodiscard]] nlohmann::json parse_body(std::string_view text);

/// A field of an object, or null: servers leave out, or set to null, what they like.
[[nodiscard]] const nlohmann::json& field(const nlohmann::json& object, const char* key);

/// A string as it is, a number as it is written, else nothing.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

/// A count of tokens; what no model could have read or written is taken for none.
[[nodiscard]] std::int64_t count_of(const nlohmann::json& value);

/// For logs, tables and terminals: at most 300 bytes, printable, valid UTF-8 whatever the server sent.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace parityd::agent
