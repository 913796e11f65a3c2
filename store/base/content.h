// Stored texts: the hash by which the database recognises them, and zlib streams. Internal to store/. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::store {

/// 32 hex digits of xxh3 with 128 bits. Protects from disk faults and accidents, not from an attacker who knows it.
[[nodiscard]] std::string content_hash(const std::string& text);

[[nodiscard]] std::string compressed(std::string_view text);

/// Throws std::runtime_error if the bytes are not one complete zlib stream.
[[nodiscard]] std::string decompressed(std::string_view bytes);

}  // namespace parityd::store
