#include "store/base/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace parityd::store {

std::string content_hash(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace parityd::store
