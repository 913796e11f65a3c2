#include "store/base/durable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace

void sync_path(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw fs::filesystem_error("cannot sync", path, std::error_code(error, std::generic_category()));
}

void rename_durably(const fs::path& from, const fs::path& to) {
  fs::rename(from, to);
  sync_path(folder_of(to));
}

void remove_durably(const fs::path& file) {
  if (fs::remove(file)) sync_path(folder_of(file));
}

std::uintmax_t size_of(const fs::path& file) noexcept {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

}  // namespace parityd::store
