// Texts as zlib streams. Internal to store/. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::store {

[[nodiscard]] std::string compressed(std::string_view text);

/// Throws std::runtime_error where the bytes are no whole stream of zlib's.
[[nodiscard]] std::string decompressed(std::string_view bytes);

}  // namespace parityd::store
