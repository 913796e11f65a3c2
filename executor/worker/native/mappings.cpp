#include "mappings.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace parityd::worker {

MappingReader::MappingReader(int descriptor) : descriptor_(descriptor) { lseek(descriptor, 0, SEEK_SET); }

bool MappingReader::take_line(const char*& begin, const char*& end) {
  for (;;) {
    begin = text_ + at_;
    const char* const filled = text_ + filled_;
    end = std::find(begin, filled, '\n');
    if (end != filled) {
      at_ = static_cast<std::size_t>(end - text_) + 1;
      return true;
    }
    std::memmove(text_, begin, filled_ - at_);
    filled_ -= at_;
    at_ = 0;
    const ssize_t count = read(descriptor_, text_ + filled_, kRoom - filled_);
    if (count <= 0) return false;
    filled_ += static_cast<std::size_t>(count);
  }
}

bool MappingReader::next(Mapping& mapping) {
  const char* begin = nullptr;
  const char* end = nullptr;
  if (!take_line(begin, end)) return false;
  constexpr int kHex = 16;
  constexpr std::size_t kPermissions = 4;
  const auto first = std::from_chars(begin, end, mapping.begin, kHex);
  const auto second = std::from_chars(first.ptr + 1, end, mapping.end, kHex);
  const std::string_view permissions(second.ptr + 1, kPermissions);
  mapping.readable = permissions[0] == 'r';
  mapping.writable = permissions[1] == 'w';
  mapping.shared = permissions[3] == 's';
  const std::string_view rest(second.ptr, static_cast<std::size_t>(end - second.ptr));
  const std::string_view path = rest.substr(std::min(rest.find('/'), rest.size()));
  const bool plain = path.starts_with("/dev/shm/") || path.starts_with("/dev/zero");
  mapping.of_device = rest.find("anon_inode:") != std::string_view::npos || (path.starts_with("/dev/") && !plain);
  mapping.of_kernel = rest.ends_with("]") && rest.find("[v") != std::string_view::npos;
  return true;
}

}  // namespace parityd::worker
