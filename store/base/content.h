// Texts as they are stored: the hash by which the database knows them again, and zlib streams. Internal to store/. Any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::store {

/// 32 hex digits of xxh3 with 128 bits: against disks and accidents, not against an attacker who knows it.
[[nodiscard]] std::string content_hash(const std::string& text);

[[nodiscard]] std::string compressed(std::string_view text);

/// Throws std::runtime_error where the bytes are no whole stream of zlib's.
[[nodiscard]] std::string decompressed(std::string_view bytes);

}  // namespace parityd::store
