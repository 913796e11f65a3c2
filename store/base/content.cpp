#include "store/base/content.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zlib.h>

#include <array>
#include <stdexcept>

namespace parityd::store {
namespace {

constexpr std::size_t kPiece = 16384;

/// zlib's byte type; zlib does not write to these bytes.
Bytef* bytes_of(std::string_view text) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));  // NOLINT(*-const-cast,*-reinterpret-cast)
}

/// A zlib stream that is ended by the destructor.
struct Inflation {
  z_stream stream{};
  Inflation() {
    if (inflateInit(&stream) != Z_OK) throw std::runtime_error("zlib failed to start");
  }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
};

}  // namespace

std::string content_hash(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string compressed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string bytes(size, '\0');
  if (compress2(bytes_of(bytes), &size, bytes_of(text), static_cast<uLong>(text.size()), Z_DEFAULT_COMPRESSION) !=
      Z_OK) {
    throw std::runtime_error("zlib failed to compress");
  }
  bytes.resize(size);
  return bytes;
}

std::string decompressed(std::string_view bytes) {
  Inflation inflation;
  z_stream& stream = inflation.stream;
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, kPiece> piece{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = bytes_of({piece.data(), piece.size()});
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  if (state != Z_STREAM_END) throw std::runtime_error("incomplete zlib stream");
  return text;
}

}  // namespace parityd::store
