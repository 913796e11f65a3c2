// The hash by which the database knows texts again. Internal to store/. Any thread.
#pragma once

#include <string>

namespace parityd::store {

/// 32 hex digits of xxh3 with 128 bits: against disks and accidents, not against an attacker who knows it.
[[nodiscard]] std::string content_hash(const std::string& text);

}  // namespace parityd::store
