#include "store/base/durable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "store/base/error.h"

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

fs::path wal_of(const fs::path& file) { return file.string() + "-wal"; }

/// Bytes 16 to 31 of a write-ahead log's header, salts and checksum, change each time SQLite restarts the log; together
/// with the size they identify it. Empty if there is no log, or an empty one.
std::string describe_wal(const fs::path& file) {
  std::ifstream stream(wal_of(file), std::ios::binary);
  std::string header(32, '\0');
  if (!stream.read(header.data(), static_cast<std::streamsize>(header.size()))) return "";
  std::string text = fmt::format("{} ", size_of(wal_of(file)));
  for (const char byte : header.substr(16)) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

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

fs::path clean_mark_of(const fs::path& file) { return file.string() + ".clean"; }

bool take_clean_mark(const fs::path& file) {
  if (size_of(file) == 0) return true;
  const fs::path mark = clean_mark_of(file);
  std::ifstream stream(mark);
  if (!stream) return false;
  std::string wal_then;
  std::getline(stream, wal_then);
  try {
    const std::string wal_now = describe_wal(file);
    const bool stale = !wal_now.empty() && wal_now != wal_then;
    if (stale) rename_durably(wal_of(file), wal_of(file).string() + ".stale");
    remove_durably(mark);
    return !stale;
  } catch (const fs::filesystem_error& error) {
    throw StoreError(
        fmt::format("{}: cannot be removed: {}; make the folder writable, or choose another one with --state",
                    mark.string(), error.code().message()),
        StoreFault::read_only);
  }
}

void leave_clean_mark(const fs::path& file) noexcept {
  try {
    const fs::path mark = clean_mark_of(file);
    const fs::path unfinished = mark.string() + ".new";
    {
      std::ofstream stream(unfinished);
      stream << describe_wal(file) << "\n" << std::flush;
      if (!stream) return;
    }
    sync_path(unfinished);
    rename_durably(unfinished, mark);
  } catch (const std::exception&) {  // the next start checks
  }
}

}  // namespace parityd::store
